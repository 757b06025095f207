/// How the page looks: the reader's own fonts, light or dark as the reader's system is.
enum PageStyle {
  static let sheet: StaticString = """
    :root{color-scheme:light dark;--back:#fff;--front:#1b1f23;--soft:#57606a;--line:#d0d7de;\
    --good:#116329;--bad:#a40e26;--link:#0550ae;--c0:#1f5fbf;--c1:#b3541e;--c2:#2e7d32;\
    --c3:#8e24aa;--c4:#00758a;--c5:#ad1457;--c6:#6d4c41;--c7:#546e7a}\
    @media(prefers-color-scheme:dark){:root{--back:#14171a;--front:#e6e9ec;--soft:#a2abb4;\
    --line:#3a424a;--good:#7ee787;--bad:#ff9d96;--link:#8ab8ff;--c0:#7fb2ff;--c1:#ffb074;\
    --c2:#81c784;--c3:#ce93d8;--c4:#4dd0e1;--c5:#f48fb1;--c6:#bcaaa4;--c7:#b0bec5}}\
    *{box-sizing:border-box}\
    body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--back);color:var(--front);\
    font:1rem/1.5 system-ui,sans-serif}\
    h1{font-size:1.5rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem}\
    h3{font-size:1rem;margin:1rem 0 .5rem}p{margin:.5rem 0}\
    a{color:var(--link)}:focus-visible{outline:3px solid var(--link);outline-offset:2px}\
    .scroll{overflow-x:auto}\
    table{border-collapse:collapse;min-width:100%}\
    caption{text-align:left;color:var(--soft);padding:.25rem 0}\
    th,td{text-align:left;font-weight:400;padding:.35rem .75rem .35rem 0;\
    border-bottom:1px solid var(--line);vertical-align:top}\
    thead th{color:var(--soft);white-space:nowrap}\
    .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
    .w,time{white-space:nowrap}.good{color:var(--good)}.bad{color:var(--bad);font-weight:700}\
    svg{display:block;width:100%;max-width:34rem;height:auto}\
    svg text{fill:var(--front);font-size:12px}.axis{stroke:var(--soft)}\
    .legend{list-style:none;margin:.5rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}\
    .key{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem}\
    .m0{fill:var(--c0)}.m1{fill:var(--c1)}.m2{fill:var(--c2)}.m3{fill:var(--c3)}\
    .m4{fill:var(--c4)}.m5{fill:var(--c5)}.m6{fill:var(--c6)}.m7{fill:var(--c7)}\
    .b0{background:var(--c0)}.b1{background:var(--c1)}.b2{background:var(--c2)}\
    .b3{background:var(--c3)}.b4{background:var(--c4)}.b5{background:var(--c5)}\
    .b6{background:var(--c6)}.b7{background:var(--c7)}\
    footer{margin-top:2rem;color:var(--soft)}
    """

  /// The digest of ``sheet``, by which the page's policy lets it and no other style through.
  static let digest = "sha256-Rno2XfLkbOQUSOK2MmrY1EX5cRqfr2M2DPJ3q0Ct8SI="
}
