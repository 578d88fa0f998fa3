package acqstore.imagej;

import java.util.ArrayList;
import java.util.List;

/** Sizes and channels of the open scene. */
final class Scene {
  final int width;
  final int height;
  final int sections;
  final int times;
  final List<Fields> channels;
  final SampleType type;
  private final boolean hasTimes;
  private final boolean hasSections;

  /** @throws AcquisitionException `plane_too_large` for planes that ImageJ cannot hold */
  Scene(Fields info) throws AcquisitionException {
    double[] shape = info.object("plane").numbers("shape");
    Fields sizes = info.object("header").object("sizes");
    Fields projection = info.object("projection");
    boolean isProjection = projection.has("T") || projection.has("Z");
    height = (int) shape[0];
    width = (int) shape[1];
    hasTimes = sizes.has("T") && !projection.has("T");
    hasSections = sizes.has("Z") && !projection.has("Z");
    times = hasTimes ? sizes.integer("T", 1) : 1;
    sections = hasSections ? sizes.integer("Z", 1) : 1;
    channels = info.objects("channels");
    type = isProjection ? SampleType.FLOAT32 : SampleType.of(info.object("header").text("dtype"));
    if ((double) width * height > Integer.MAX_VALUE - 8 || (double) times * sections * channels.size() > Integer.MAX_VALUE) {
      String message =
          String.format("ImageJ holds 2,147,483,639 samples of a plane; this one has %,d × %,d. Export a part of it.", height, width);
      throw new AcquisitionException("plane_too_large", message);
    }
  }

  int planes() {
    return channels.size() * sections * times;
  }

  int samples() {
    return width * height;
  }

  /** Returns the channel of a plane, counted from 0: channels come first, then sections. */
  int channel(int plane) {
    return plane % channels.size();
  }

  int section(int plane) {
    return plane / channels.size() % sections;
  }

  int time(int plane) {
    return plane / channels.size() / sections;
  }

  String query(int plane) {
    List<String> parts = new ArrayList<>();
    if (hasTimes) parts.add("T=" + time(plane));
    if (hasSections) parts.add("Z=" + section(plane));
    if (type.isNative) parts.add("type=native");
    return parts.isEmpty() ? "" : "?" + String.join("&", parts);
  }
}
