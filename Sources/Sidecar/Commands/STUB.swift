import Glibc
package func runServe(configurationPath: String?, environment: [String: String]) -> Int32 {
  let words: [String] = ["outlay", "serve", "--config", configurationPath ?? ""]
  var arguments: [UnsafeMutablePointer<CChar>?] = []
  for word in words { arguments.append(strdup(word)) }
  arguments.append(nil)
  execv("/tmp/h/prog-stub/core-outlay", &arguments)
  return 1
}
package func runVerify(configurationPath: String?, environment: [String: String]) -> Int32 { 1 }
