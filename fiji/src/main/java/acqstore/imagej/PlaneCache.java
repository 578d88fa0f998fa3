package acqstore.imagej;

import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps the samples of the planes that were read last. */
final class PlaneCache {
  private static final long MAX_BYTES = 1 << 27;

  private final LinkedHashMap<Integer, Object> planes = new LinkedHashMap<>(16, 0.75f, true);
  private final long maxPlanes;

  PlaneCache(long planeBytes) {
    maxPlanes = Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / 8) / Math.max(1, planeBytes);
  }

  synchronized Object get(int index) {
    return planes.get(index);
  }

  synchronized void put(int index, Object samples) {
    if (maxPlanes == 0) return;
    planes.put(index, samples);
    for (Map.Entry<Integer, Object> oldest : new LinkedHashMap<>(planes).entrySet()) {
      if (planes.size() <= maxPlanes) return;
      planes.remove(oldest.getKey());
    }
  }

  synchronized void clear() {
    planes.clear();
  }
}
