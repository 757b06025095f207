// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "outlay",
  products: [.executable(name: "outlay", targets: ["outlay"])],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "Metering", swiftSettings: strict),
    .target(
      name: "Store", dependencies: ["Metering", "CSQLite"], exclude: ["README.md"],
      swiftSettings: strict),
    .target(name: "Wire", dependencies: ["CLinux", "CCurl"], swiftSettings: strict),
    .target(name: "AppStore", dependencies: ["Metering", "CCrypto"], swiftSettings: strict),
    .target(
      name: "Sidecar", dependencies: ["Metering", "Store", "Wire", "AppStore", "CLinux"],
      swiftSettings: strict),
    .executableTarget(name: "outlay", dependencies: ["Sidecar"], swiftSettings: strict),
    .testTarget(name: "MeteringTests", dependencies: ["Metering"], swiftSettings: strict),
    .testTarget(
      name: "StoreTests",
      dependencies: ["Metering", "Store", "CSQLite", "Wire", "AppStore", "Sidecar"],
      swiftSettings: strict),
    .testTarget(name: "WireTests", dependencies: ["Wire"], swiftSettings: strict),
    .testTarget(
      name: "AppStoreTests", dependencies: ["Metering", "AppStore", "CCrypto"],
      exclude: ["Samples/make_samples.py", "Samples/sign_payloads.py"], swiftSettings: strict),
    .testTarget(
      name: "SidecarTests", dependencies: ["Metering", "Store", "Wire", "AppStore", "Sidecar"],
      exclude: [
        "Metrics/Rules", "Page/look.py", "Hostile/stranger.py", "Program/Dashboards/judge.py",
        "Program/Top/terminal.py",
        "Respond/Store/constraints.py", "Respond/Store/fake_store.py",
        "Respond/Store/prove_fake.py",
      ],
      swiftSettings: strict),
    .target(
      name: "FuzzTargets", dependencies: ["Metering", "Store", "Wire", "AppStore", "Sidecar"],
      path: "Tests/FuzzTargets", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets"], exclude: ["Corpora"],
      swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ]
)

// The driver of `Config/setup fuzz`: it links libFuzzer, which only an instrumented build has.
if Context.environment["OUTLAY_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/FuzzProgram",
      swiftSettings: strict))
}
