import Foundation
import Sidecar

/// The program: finds the subcommand and turns its faults into exit codes.
@main
enum Outlay {
  static var subcommands: [any Subcommand.Type] {
    [
      Serve.self, Respond.self, Check.self, Send.self, Show.self, Top.self, Costs.self, Order.self,
      Extend.self, Verify.self, Backup.self, Bench.self, Demo.self,
    ]
  }

  static func main() {
    ProcessStart.begin()
    let code = run(Array(CommandLine.arguments.dropFirst()))
    Log.finish()
    exit(Console.finish(code))
  }

  private static func run(_ words: [String]) -> Int32 {
    guard let first = words.first else {
      Console.complain(overview)
      return ExitCode.usage
    }
    switch first {
    case "--help", "-h", "help":
      Console.print(overview + "\n")
      return ExitCode.success
    case "--version":
      Console.print("outlay \(Release.version)\n")
      return ExitCode.success
    default:
      break
    }
    guard let subcommand = subcommands.first(where: { $0.syntax.name == first }) else {
      Console.complain("outlay: unknown subcommand '\(first)'; outlay --help lists them")
      return ExitCode.usage
    }
    return run(subcommand, Array(words.dropFirst()))
  }

  private static func run(_ subcommand: any Subcommand.Type, _ words: [String]) -> Int32 {
    let name = subcommand.syntax.name
    do {
      let arguments = try subcommand.syntax.parse(words)
      if arguments.wantsHelp {
        Console.print(subcommand.syntax.help)
        return ExitCode.success
      }
      return try subcommand.run(arguments, environment: ProcessInfo.processInfo.environment)
    } catch let fault as UsageFault {
      Console.complain("outlay \(name): \(fault.message); outlay \(name) --help says more")
      return ExitCode.usage
    } catch let refusal as ConfigurationRefusal {
      for line in refusal.lines { Console.complain(line) }
      return ExitCode.configuration
    } catch {
      Console.complain("outlay \(name): \(error)")
      return ExitCode.failure
    }
  }

  private static var overview: String {
    let width = subcommands.map { $0.syntax.name.count }.max() ?? 0
    let rows = subcommands.map { subcommand in
      let name = subcommand.syntax.name
      let padding = String(repeating: " ", count: width - name.count)
      return "  \(name)\(padding)  \(subcommand.syntax.summary)"
    }
    return """
      Outlay meters what customers use, and knows what each purchase has cost.

      usage: outlay SUBCOMMAND [options]

      \(rows.joined(separator: "\n"))

      outlay SUBCOMMAND --help says more. Exit codes: 0 right, 1 failed, 2 usage,
      78 bad configuration.
      """
  }
}
