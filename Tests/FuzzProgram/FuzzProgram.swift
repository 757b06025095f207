import Foundation
import FuzzTargets

/// Drives one target by libFuzzer: `fuzz TARGET [libFuzzer's own arguments]`. `fuzz` alone names
/// the targets; `fuzz TARGET --seeds FOLDER` writes what to begin with. `OUTLAY_FUZZ_BREAK=trap`
/// or `twin` breaks the target, to see that it is found.
@main enum FuzzProgram {
  private nonisolated(unsafe) static var target = FuzzTarget.all[0]
  private nonisolated(unsafe) static var broken = FuzzBreak.none

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      return
    }
    guard let named = FuzzTarget.named(arguments[1]) else {
      FileHandle.standardError.write(Data("fuzz: no target is named \(arguments[1])\n".utf8))
      exit(2)
    }
    target = named
    broken =
      ProcessInfo.processInfo.environment["OUTLAY_FUZZ_BREAK"].flatMap(FuzzBreak.init) ?? .none
    if arguments.count == 4, arguments[2] == "--seeds" {
      try writeSeeds(to: arguments[3])
      return
    }
    let dictionary = target.words.isEmpty ? [] : ["-dict=\(try writeDictionary())"]
    exit(drive([arguments[0]] + dictionary + arguments.dropFirst(2)))
  }

  private static func writeSeeds(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (number, seed) in target.seeds().enumerated() {
      try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
    }
  }

  private static func writeDictionary() throws -> String {
    let path = NSTemporaryDirectory() + "outlay-fuzz-\(target.name).dict"
    let lines = target.words.map { word in
      let bytes = word.utf8.map { byte in
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
      }
      return "\"\(bytes.joined())\"\n"
    }
    try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static func drive(_ arguments: [String]) -> Int32 {
    var count = Int32(arguments.count)
    var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    strings.append(nil)
    return strings.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return runDriver(&count, &start) { bytes, count in
        FuzzProgram.target.run(
          UnsafeRawBufferPointer(start: bytes, count: count), broken: FuzzProgram.broken)
        return 0
      }
    }
  }
}

/// libFuzzer's own entry for programs with a `main` of theirs.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
