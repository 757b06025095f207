import Sidecar

print("outlay \(Release.version)")
