"""Signs payloads under a chain made here, for tests of the whole program.

Reads a JSON array of payloads from the file named; a payload that stands where Apple has a signed
one within is signed first. Prints the root to pin, in DER, and the signed payloads in order.
"""

import base64
import json
import sys

from make_samples import ROOT, der, sign

INNER = ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]


def with_inner_signed(payload):
    signed = dict(payload)
    for name, value in payload.items():
        if isinstance(value, dict):
            signed[name] = sign(value) if name in INNER else with_inner_signed(value)
    return signed


with open(sys.argv[1], encoding="utf-8") as file:
    payloads = json.load(file)
print(json.dumps({
    "root": base64.b64encode(der(ROOT.certificate)).decode(),
    "signed": [sign(with_inner_signed(payload)) for payload in payloads],
}))
