package acqstore.imagej;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** An object of JSON, read by the names and types that its reader expects. */
final class Fields {
  private final Map<?, ?> entries;

  private Fields(Map<?, ?> entries) {
    this.entries = entries;
  }

  /** @throws AcquisitionException `not_json`, also when the text is another value than an object */
  static Fields parse(String text) throws AcquisitionException {
    Object value = Json.parse(text);
    if (!(value instanceof Map)) throw new AcquisitionException("not_json", "the answer is not a JSON object");
    return new Fields((Map<?, ?>) value);
  }

  /** Returns an object; an empty one when it is missing. */
  Fields object(String name) {
    Object value = entries.get(name);
    return new Fields(value instanceof Map ? (Map<?, ?>) value : Collections.emptyMap());
  }

  /** True when the name has a value other than null. */
  boolean has(String name) {
    return entries.get(name) != null;
  }

  /** Returns a text; null when it is missing. */
  String text(String name) {
    Object value = entries.get(name);
    return value instanceof String ? (String) value : null;
  }

  /** Returns a number; the other one when it is missing. */
  double number(String name, double otherwise) {
    Object value = entries.get(name);
    return value instanceof Double ? (Double) value : otherwise;
  }

  int integer(String name, int otherwise) {
    return (int) number(name, otherwise);
  }

  /** Returns the objects of a list; none when it is missing. */
  List<Fields> objects(String name) {
    List<Fields> found = new ArrayList<>();
    for (Object item : list(name)) if (item instanceof Map) found.add(new Fields((Map<?, ?>) item));
    return found;
  }

  /** Returns the texts of a list; none when it is missing. */
  List<String> texts(String name) {
    List<String> found = new ArrayList<>();
    for (Object item : list(name)) if (item instanceof String) found.add((String) item);
    return found;
  }

  /** Returns the numbers of a list, not a number where it has none; null when it is missing. */
  double[] numbers(String name) {
    if (!has(name)) return null;
    List<?> items = list(name);
    double[] found = new double[items.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = items.get(i) instanceof Double ? (Double) items.get(i) : Double.NaN;
    }
    return found;
  }

  private List<?> list(String name) {
    Object value = entries.get(name);
    return value instanceof List ? (List<?>) value : Collections.emptyList();
  }
}
