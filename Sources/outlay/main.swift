import Foundation
import Sidecar

let arguments = CommandLine.arguments
if arguments.count >= 2, arguments[1] == "serve" {
  let path = arguments.firstIndex(of: "--config").map { arguments[$0 + 1] }
  exit(runServe(configurationPath: path, environment: ProcessInfo.processInfo.environment))
}
print("outlay \(Release.version)")
