/// A piece of a page. Everything in it was escaped when it was made, so that nothing from outside
/// becomes markup.
struct HTML {
  /// Names and their values; nil leaves an attribute out.
  typealias Attributes = KeyValuePairs<String, String?>

  /// The markup.
  private(set) var markup: String

  private init(markup: String) { self.markup = markup }

  /// Text, with everything replaced that isn't shown.
  static func text(_ text: String) -> HTML { HTML(markup: escaped(PlainText.clean(text))) }

  /// Markup of the program's own.
  static func own(_ markup: StaticString) -> HTML { HTML(markup: "\(markup)") }

  /// An element with its content.
  static func element(
    _ name: StaticString, _ attributes: Attributes, _ content: [HTML]
  ) -> HTML {
    let inner = content.map(\.markup).joined()
    return HTML(markup: "<\(name)\(list(attributes))>\(inner)</\(name)>")
  }

  /// An element with its content and no attributes.
  static func element(_ name: StaticString, _ content: [HTML]) -> HTML {
    element(name, [:], content)
  }

  /// An element with nothing but text in it.
  static func element(
    _ name: StaticString, _ attributes: Attributes, _ content: String
  ) -> HTML {
    element(name, attributes, [text(content)])
  }

  /// An element with nothing but text in it, and no attributes.
  static func element(_ name: StaticString, _ content: String) -> HTML {
    element(name, [:], [text(content)])
  }

  /// An element that has no content, as XML and HTML both read it.
  static func empty(_ name: StaticString, _ attributes: Attributes) -> HTML {
    HTML(markup: "<\(name)\(list(attributes))/>")
  }

  private static func list(_ attributes: Attributes) -> String {
    attributes.map { attribute in
      attribute.value.map { " \(attribute.key)=\"\(escaped(PlainText.clean($0)))\"" } ?? ""
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
