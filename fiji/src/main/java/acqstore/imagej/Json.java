package acqstore.imagej;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON: plain ImageJ has no library for it. */
final class Json {
  private static final int MAX_DEPTH = 64;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /**
   * Returns the value as a map, list, string, double, boolean or null.
   *
   * @throws AcquisitionException `not_json`
   */
  static Object parse(String text) throws AcquisitionException {
    Json json = new Json(text);
    Object value = json.value(0);
    json.skipBlanks();
    if (json.at < text.length()) throw json.unexpected();
    return value;
  }

  /** Returns a string as it stands in JSON, with its quotation marks. */
  static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  private Object value(int depth) throws AcquisitionException {
    skipBlanks();
    if (at >= text.length() || depth > MAX_DEPTH) throw unexpected();
    switch (text.charAt(at)) {
      case '{':
        return object(depth);
      case '[':
        return list(depth);
      case '"':
        return string();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object(int depth) throws AcquisitionException {
    Map<String, Object> entries = new LinkedHashMap<>();
    at++;
    if (take('}')) return entries;
    do {
      skipBlanks();
      if (at >= text.length() || text.charAt(at) != '"') throw unexpected();
      String key = string();
      if (!take(':')) throw unexpected();
      entries.put(key, value(depth + 1));
    } while (take(','));
    if (!take('}')) throw unexpected();
    return entries;
  }

  private List<Object> list(int depth) throws AcquisitionException {
    List<Object> items = new ArrayList<>();
    at++;
    if (take(']')) return items;
    do items.add(value(depth + 1));
    while (take(','));
    if (!take(']')) throw unexpected();
    return items;
  }

  private String string() throws AcquisitionException {
    StringBuilder out = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return out.toString();
      }
      out.append(c == '\\' ? escaped() : c);
    }
    throw unexpected();
  }

  private char escaped() throws AcquisitionException {
    at++;
    int kind = at < text.length() ? "\"\\/bfnrt".indexOf(text.charAt(at)) : -1;
    if (kind >= 0) return "\"\\/\b\f\n\r\t".charAt(kind);
    if (at + 4 >= text.length() || text.charAt(at) != 'u') throw unexpected();
    String digits = text.substring(at + 1, at + 5);
    if (!digits.matches("[0-9A-Fa-f]{4}")) throw unexpected();
    at += 4;
    return (char) Integer.parseInt(digits, 16);
  }

  private Object word(String word, Object value) throws AcquisitionException {
    if (!text.startsWith(word, at)) throw unexpected();
    at += word.length();
    return value;
  }

  private Double number() throws AcquisitionException {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    try {
      return Double.valueOf(text.substring(start, at));
    } catch (NumberFormatException error) {
      throw unexpected();
    }
  }

  private boolean take(char expected) {
    skipBlanks();
    boolean isNext = at < text.length() && text.charAt(at) == expected;
    if (isNext) at++;
    return isNext;
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private AcquisitionException unexpected() {
    return new AcquisitionException("not_json", "the answer is not JSON at character " + at);
  }
}
