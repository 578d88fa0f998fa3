// Opens all planes of a file through Acquisition Store Server, with its calibration: seconds per line, micrometers per pixel,
// frame interval, channel names. In Fiji: File > Open this file, or drag it onto the main window, then Run.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import ij.CompositeImage
import ij.IJ
import ij.ImagePlus
import ij.ImageStack
import ij.io.OpenDialog
import ij.process.FloatProcessor
import java.nio.ByteBuffer
import java.nio.ByteOrder

server = System.getenv('ACQSTORE_URL') ?: 'http://127.0.0.1:8767'

/** Sends a request, and returns the answer: JSON as a map, a plane as bytes. */
def ask(String method, String path, Map body = null) {
  def connection = (HttpURLConnection) new URL(server + path).openConnection()
  connection.requestMethod = method
  def token = System.getenv('ACQSTORE_TOKEN')
  if (token) connection.setRequestProperty('Authorization', 'Bearer ' + token)
  if (body != null) {
    connection.doOutput = true
    connection.setRequestProperty('Content-Type', 'application/json')
    connection.outputStream.withStream { it.write(JsonOutput.toJson(body).getBytes('UTF-8')) }
  }
  def failed = connection.responseCode >= 400
  def bytes = (failed ? connection.errorStream : connection.inputStream).bytes
  if (!failed && connection.contentType.startsWith('application/octet-stream')) return bytes
  def answer = new JsonSlurper().parseText(new String(bytes, 'UTF-8'))
  if (failed) throw new IOException(answer.error + ': ' + answer.message)
  return answer
}

/** Reads a plane of little-endian float32 samples, row by row. */
def readPlane(String address, List shape) {
  def samples = new float[(shape[0] as int) * (shape[1] as int)]
  ByteBuffer.wrap((byte[]) ask('GET', address)).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(samples)
  return new FloatProcessor(shape[1] as int, shape[0] as int, samples)
}

/** Opens all channels, sections and time points of the first scene. */
def openAcquisition(String path) {
  def info = ask('POST', '/api/v2/open', [path: path, decode: 'later', ttlSeconds: 3600])
  try {
    def sizes = info.header.sizes
    def (times, sections) = [sizes.T ?: 1, sizes.Z ?: 1]
    def stack = new ImageStack(info.plane.shape[1] as int, info.plane.shape[0] as int)
    for (t in 0..<times) for (z in 0..<sections) for (channel in info.channels) {
      def query = (sizes.T ? ["T=$t"] : []) + (sizes.Z ? ["Z=$z"] : [])
      stack.addSlice(channel.name, readPlane(channel.dataUrl + (query ? '?' + query.join('&') : ''), info.plane.shape))
    }
    def image = new ImagePlus(info.source.name, stack)
    image.setDimensions(info.channels.size(), sections, times)
    calibrate(image, info)
    for (warning in info.warnings) IJ.log(info.source.name + ': ' + warning)
    if (info.channels.size() == 1) return image
    image.openAsHyperStack = true
    return new CompositeImage(image, CompositeImage.GRAYSCALE)
  } finally {
    ask('DELETE', '/api/v2/sessions/' + info.sessionId)
  }
}

def calibrate(ImagePlus image, Map info) {
  def units = [seconds: 'sec', micrometer: 'micron', Pixels: 'pixel']
  def (rows, columns) = info.plane.axes
  def calibration = image.calibration
  calibration.pixelWidth = columns.step
  calibration.pixelHeight = rows.step
  calibration.XUnit = units[columns.unit]
  calibration.YUnit = units[rows.unit] // of a line scan: seconds
  info.header.dims.eachWithIndex { name, i ->
    def (step, unit) = [info.header.physicalUnits[i], info.header.physicalUnitsLabels[i]]
    if (name == 'Z' && unit == 'micrometer') {
      calibration.pixelDepth = step
      calibration.ZUnit = 'micron'
    }
    if (name == 'T' && unit == 'seconds') {
      calibration.frameInterval = step
      calibration.timeUnit = 'sec'
    }
  }
}

def path = binding.hasVariable('acquisition') ? acquisition : new OpenDialog('Open an acquisition').path
if (path) {
  image = openAcquisition(path)
  if (!java.awt.GraphicsEnvironment.headless) image.show()
}
