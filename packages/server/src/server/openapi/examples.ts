import type { Json } from './json.js';

/** Requests and answers about the bundled sample. Made by `UPDATE_DOCS=1 npx vitest run tests/policy`. */
export const EXAMPLES: Record<string, { request?: Json; responses?: Json }> = {
  getIndex: {
    request: {},
    responses: {
      '200': {
        index: {
          ok: true,
          apiVersion: 'v2',
          description: 'Acquisition Store Server',
          serverVersion: '0.1.0',
          links: {
            health: {
              href: '/api/v2/health',
              method: 'GET',
              description: 'Lightest check that the server answers.',
            },
            capabilities: {
              href: '/api/v2/capabilities',
              method: 'GET',
              description: 'Formats, binary encoding, lifetimes.',
            },
            open: {
              href: '/api/v2/open',
              method: 'POST',
              description: 'Open an acquisition by its path.',
            },
            pickAndOpen: {
              href: '/api/v2/pick-and-open',
              method: 'POST',
              description: 'Open what the user picks in a dialog.',
            },
            openapi: {
              href: '/openapi.json',
              method: 'GET',
              description: 'The contract as an OpenAPI 3.1 document.',
            },
            docs: {
              href: '/docs',
              method: 'GET',
              description: 'Interactive documentation.',
            },
            demo: {
              href: '/demo/v2/',
              method: 'GET',
              description: 'The reference client for browsers.',
            },
          },
        },
      },
    },
  },
  getHealth: {
    request: {},
    responses: {
      '200': {
        healthy: {
          ok: true,
          apiVersion: 'v2',
        },
      },
    },
  },
  getCapabilities: {
    request: {},
    responses: {
      '200': {
        all: {
          ok: true,
          apiVersion: 'v2',
          supportedImportExtensions: [
            '.tif',
            '.tiff',
            '.ome.tif',
            '.ome.tiff',
            '.ome.tf2',
            '.ome.tf8',
            '.ome.btf',
            '.tf2',
            '.tf8',
            '.btf',
            '.stk',
            '.companion.ome',
            '.ome',
            '.oir',
            '.poir',
            '.mpoir',
            '.oib',
            '.oif',
            '.pmt.dat',
            '.meta.txt',
            '.czi',
            '.lsm',
            '.nd2',
            '.lif',
            '.lof',
            '.xlef',
            '.xlif',
            '.xlcf',
            '.xml',
            '.ome.zarr',
            '.zarr',
            '.ome.zarr.zip',
            '.zarr.zip',
            '.ozx',
            '.cs.ome.zarr',
            '.cs.ome.zarr.zip',
            '.zip',
            '.nwb',
            '.h5',
            '.hdf5',
            '.ims',
            '.index',
            '.ome.xml',
          ],
          allowedImportExtensions: [
            '.tif',
            '.tiff',
            '.ome.tif',
            '.ome.tiff',
            '.ome.tf2',
            '.ome.tf8',
            '.ome.btf',
            '.tf2',
            '.tf8',
            '.btf',
            '.stk',
            '.companion.ome',
            '.ome',
            '.oir',
            '.poir',
            '.mpoir',
            '.oib',
            '.oif',
            '.pmt.dat',
            '.meta.txt',
            '.czi',
            '.lsm',
            '.nd2',
            '.lif',
            '.lof',
            '.xlef',
            '.xlif',
            '.xlcf',
            '.xml',
            '.ome.zarr',
            '.zarr',
            '.ome.zarr.zip',
            '.zarr.zip',
            '.ozx',
            '.cs.ome.zarr',
            '.cs.ome.zarr.zip',
            '.zip',
            '.nwb',
            '.h5',
            '.hdf5',
            '.ims',
            '.index',
            '.ome.xml',
          ],
          binary: {
            servedDtype: 'float32',
            encoding: 'raw-f32-le',
            layout: 'row-major',
            mediaType: 'application/octet-stream',
          },
          sessionTtlSeconds: 600,
          opening: ['path', 'picker', 'folders', 'locate', 'upload'],
        },
      },
    },
  },
  getUser: {
    request: {},
    responses: {
      '200': {
        nobody: {
          ok: true,
          apiVersion: 'v2',
          signIn: [],
          user: null,
          signOutUrl: null,
        },
      },
    },
  },
  listExamples: {
    request: {},
    responses: {
      '200': {
        sample: {
          ok: true,
          apiVersion: 'v2',
          examples: [
            {
              name: 'Vessel line scan',
              description:
                'Synthetic: 4000 lines along a capillary, red cells moving through it and calcium transients of cells beside it',
              path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
            },
          ],
        },
      },
    },
  },
  listFolder: {
    request: {},
    responses: {
      '200': {
        samples: {
          ok: true,
          apiVersion: 'v2',
          path: '/opt/acquisition-store/examples',
          parent: '/opt/acquisition-store',
          entries: [
            {
              name: 'fiji',
              path: '/opt/acquisition-store/examples/fiji',
              kind: 'folder',
              size: null,
              modified: 1767225600000,
              openable: false,
            },
            {
              name: 'vessel-kymograph.ome.tif',
              path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
              kind: 'file',
              size: 640526,
              modified: 1767225600000,
              openable: true,
            },
          ],
          truncated: false,
        },
      },
      '404': {
        noSuchFolder: {
          ok: false,
          error: 'path_not_found',
          message: 'missing: there is no file or folder at /data/missing. Check the path.',
          details: null,
        },
      },
    },
  },
  openAcquisition: {
    request: {
      whole: {
        path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
      },
      oneChannel: {
        path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
        channelIndices: [1],
      },
      calibrated: {
        path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
        calibration: {
          Y: {
            step: 0.002,
            unit: 'seconds',
          },
        },
      },
    },
    responses: {
      '200': {
        whole: {
          ok: true,
          apiVersion: 'v2',
          source: {
            path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
            name: 'vessel-kymograph.ome.tif',
            format: 'ome.tif',
            sourceDtype: 'uint16',
            numChannels: 2,
            revision: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f445e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          },
          header: {
            shape: [2, 4000, 96],
            dims: ['C', 'Y', 'X'],
            sizes: {
              C: 2,
              Y: 4000,
              X: 96,
            },
            dtype: 'uint16',
            numChannels: 2,
            physicalUnits: [1, 0.00117, 0.284],
            physicalUnitsLabels: ['Channels', 'seconds', 'micrometer'],
            date: '20260115',
            time: '10:30:00',
            fileSize: '641 KB',
            calibration: ['default', 'file', 'file'],
          },
          plane: {
            shape: [4000, 96],
            axes: [
              {
                arrayDimension: 0,
                name: 'Y',
                size: 4000,
                step: 0.00117,
                unit: 'seconds',
              },
              {
                arrayDimension: 1,
                name: 'X',
                size: 96,
                step: 0.284,
                unit: 'micrometer',
              },
            ],
            servedDtype: 'float32',
            encoding: 'raw-f32-le',
            layout: 'row-major',
            mediaType: 'application/octet-stream',
          },
          channels: [
            {
              index: 0,
              name: 'Calcium',
              byteLength: 1536000,
              dataUrl: '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/channels/0/data',
            },
            {
              index: 1,
              name: 'Vessel',
              byteLength: 1536000,
              dataUrl: '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/channels/1/data',
            },
          ],
          reference: null,
          warnings: [],
          sessionId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          zarr: {
            '0.4': '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/0.4.ome.zarr/0',
            '0.5': '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/0.5.ome.zarr/0',
          },
        },
      },
      '404': {
        noSuchFile: {
          ok: false,
          error: 'path_not_found',
          message: 'missing.tif: there is no file or folder at /data/missing.tif. Check the path.',
          details: null,
        },
      },
      '415': {
        noReader: {
          ok: false,
          error: 'unsupported_format',
          message:
            'notes.txt: .txt is not the extension of a supported format. The first page of the viewer and `acqstore formats` list the supported formats.',
          details: null,
        },
      },
      '422': {
        twoFaults: {
          ok: false,
          error: 'request_validation_failed',
          message: '`path` must be absolute, for example /data/scan.oir (and 1 more problem, see `details`)',
          details: [
            {
              location: ['body', 'path'],
              message: '`path` must be absolute, for example /data/scan.oir',
              type: 'path_not_absolute',
            },
            {
              location: ['body', 'channelIndices', '0'],
              message: '`channelIndices[0]` must be a whole number',
              type: 'int_type',
            },
          ],
        },
        noSuchChannel: {
          ok: false,
          error: 'channel_out_of_range',
          message: '`channelIndices` contains 2, but the file has 2 channels (0 to 1)',
          details: null,
        },
      },
    },
  },
  getAcquisition: {
    request: {},
    responses: {
      '200': {
        withMetadata: {
          ok: true,
          apiVersion: 'v2',
          source: {
            path: '/opt/acquisition-store/examples/vessel-kymograph.ome.tif',
            name: 'vessel-kymograph.ome.tif',
            format: 'ome.tif',
            sourceDtype: 'uint16',
            numChannels: 2,
            revision: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f445e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
            metadata: {
              entries: [
                {
                  name: 'ImageWidth',
                  value: '96',
                },
                {
                  name: 'ImageLength',
                  value: '4000',
                },
                {
                  name: 'BitsPerSample',
                  value: '16',
                },
                {
                  name: 'Compression',
                  value: '8',
                },
                {
                  name: 'PhotometricInterpretation',
                  value: '1',
                },
                {
                  name: 'ImageDescription/schemaLocation',
                  value:
                    'http://www.openmicroscopy.org/Schemas/OME/2016-06 http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd',
                },
                {
                  name: 'ImageDescription/Creator',
                  value: 'acquisition-store',
                },
                {
                  name: 'ImageDescription/Image:0/Name',
                  value: 'Synthetic vessel line scan',
                },
                {
                  name: 'ImageDescription/Image:0/AcquisitionDate',
                  value: '2026-01-15T10:30:00',
                },
                {
                  name: 'ImageDescription/Image:0/Description',
                  value:
                    'Synthetic data: red cells moving through a capillary (Vessel) and calcium transients of cells beside it (Calcium). Every row is one line of a line scan.',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/DimensionOrder',
                  value: 'XYZTC',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/Type',
                  value: 'uint16',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/BigEndian',
                  value: 'false',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/SizeX',
                  value: '96',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/SizeY',
                  value: '4000',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/SizeZ',
                  value: '1',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/SizeT',
                  value: '1',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/SizeC',
                  value: '2',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/PhysicalSizeX',
                  value: '0.284',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/PhysicalSizeXUnit',
                  value: 'µm',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/Channel:0:0/Name',
                  value: 'Calcium',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/Channel:0:0/SamplesPerPixel',
                  value: '1',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/Channel:0:1/Name',
                  value: 'Vessel',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/Channel:0:1/SamplesPerPixel',
                  value: '1',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/TiffData/IFD',
                  value: '0',
                },
                {
                  name: 'ImageDescription/Image:0/Pixels:0/TiffData/PlaneCount',
                  value: '2',
                },
                {
                  name: 'ImageDescription/Image:0/AnnotationRef/ID',
                  value: 'Annotation:LineScan',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/ID',
                  value: 'Annotation:LineScan',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/Namespace',
                  value: 'acquisition-store/line-scan',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/Value/M[1]',
                  value: '0.00117',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/Value/M[1]/K',
                  value: 'LinePeriod',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/Value/M[2]',
                  value: 's',
                },
                {
                  name: 'ImageDescription/StructuredAnnotations/MapAnnotation/Value/M[2]/K',
                  value: 'LinePeriodUnit',
                },
                {
                  name: 'SamplesPerPixel',
                  value: '1',
                },
                {
                  name: 'RowsPerStrip',
                  value: '500',
                },
                {
                  name: 'SampleFormat',
                  value: '1',
                },
              ],
              truncated: false,
            },
          },
          header: {
            shape: [2, 4000, 96],
            dims: ['C', 'Y', 'X'],
            sizes: {
              C: 2,
              Y: 4000,
              X: 96,
            },
            dtype: 'uint16',
            numChannels: 2,
            physicalUnits: [1, 0.00117, 0.284],
            physicalUnitsLabels: ['Channels', 'seconds', 'micrometer'],
            date: '20260115',
            time: '10:30:00',
            fileSize: '641 KB',
            calibration: ['default', 'file', 'file'],
          },
          plane: {
            shape: [4000, 96],
            axes: [
              {
                arrayDimension: 0,
                name: 'Y',
                size: 4000,
                step: 0.00117,
                unit: 'seconds',
              },
              {
                arrayDimension: 1,
                name: 'X',
                size: 96,
                step: 0.284,
                unit: 'micrometer',
              },
            ],
            servedDtype: 'float32',
            encoding: 'raw-f32-le',
            layout: 'row-major',
            mediaType: 'application/octet-stream',
          },
          channels: [
            {
              index: 0,
              name: 'Calcium',
              byteLength: 1536000,
              dataUrl: '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/channels/0/data',
            },
            {
              index: 1,
              name: 'Vessel',
              byteLength: 1536000,
              dataUrl: '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/channels/1/data',
            },
          ],
          reference: null,
          warnings: [],
          sessionId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          zarr: {
            '0.4': '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/0.4.ome.zarr/0',
            '0.5': '/api/v2/sessions/5e0b2c7f9a4d4f1f8b36d1c0a97e2f44/0.5.ome.zarr/0',
          },
        },
      },
    },
  },
  getCoordinates: {
    request: {},
    responses: {
      '200': {
        even: {
          ok: true,
          apiVersion: 'v2',
          start: '2026-01-15T10:30:00',
          axes: {},
        },
      },
    },
  },
  getPlaneTable: {
    request: {},
    responses: {
      '200': {
        channels: {
          ok: true,
          apiVersion: 'v2',
          start: '2026-01-15T10:30:00',
          total: 2,
          columns: {
            T: [0, 0],
            Z: [0, 0],
            C: [0, 1],
          },
        },
      },
    },
  },
  pickAndOpen: {
    request: {
      anyFile: {},
      cancelled: {
        extensions: ['.oir', '.tif'],
        channelIndices: [0],
      },
    },
    responses: {
      '200': {
        cancelled: {
          ok: false,
          error: 'cancelled',
          message: 'No file was chosen.',
          details: null,
        },
      },
    },
  },
  locateFile: {
    request: {
      dropped: {
        name: 'vessel-kymograph.ome.tif',
        size: 640526,
        modified: 1767225600000,
      },
    },
    responses: {
      '200': {
        dropped: {
          ok: true,
          apiVersion: 'v2',
          paths: ['/opt/acquisition-store/examples/vessel-kymograph.ome.tif'],
        },
      },
    },
  },
  createUpload: {
    request: {
      file: {
        name: 'vessel-kymograph.ome.tif',
        size: 640526,
      },
    },
    responses: {
      '200': {
        file: {
          ok: true,
          apiVersion: 'v2',
          uploadId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          maxBytes: 640526,
          expiresInSeconds: 600,
        },
      },
      '413': {
        tooLarge: {
          ok: false,
          error: 'upload_too_large',
          message:
            'stack.nd2: the upload is 9,000,000,000 bytes; the limit of the server is 8,000,000,000; 7,999,359,474 are not in use (--upload-budget). Open the file by its path.',
          details: null,
        },
      },
    },
  },
  openUpload: {
    request: {
      whole: {},
    },
    responses: {
      '200': {},
      '409': {
        incomplete: {
          ok: false,
          error: 'upload_incomplete',
          message: 'vessel-kymograph.ome.tif: 0 of 640,526 bytes have arrived. Send the rest, then open it.',
          details: null,
        },
      },
    },
  },
  uploadFile: {
    request: {},
    responses: {
      '200': {
        file: {
          ok: true,
          uploadId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          receivedBytes: 640526,
        },
      },
    },
  },
  deleteUpload: {
    request: {},
    responses: {
      '200': {
        deleted: {
          ok: true,
          uploadId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          deleted: true,
        },
      },
      '404': {
        gone: {
          ok: false,
          error: 'upload_not_found',
          message:
            'The upload does not exist. It was deleted, has expired, or its session has ended. Send the file again.',
          details: null,
        },
      },
    },
  },
  getSession: {
    request: {},
    responses: {
      '200': {
        open: {
          ok: true,
          sessionId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          ttlSecondsRemaining: 598.5,
          channelIndices: [0, 1],
          referenceChannelIndices: [],
          totalBytes: 3072000,
        },
      },
      '404': {
        ended: {
          ok: false,
          error: 'session_not_found',
          message: 'The session does not exist. It was deleted or has expired. Open the file again.',
          details: null,
        },
      },
    },
  },
  renewSession: {
    request: {},
    responses: {
      '200': {
        renewed: {
          ok: true,
          sessionId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          ttlSecondsRemaining: 598.5,
          channelIndices: [0, 1],
          referenceChannelIndices: [],
          totalBytes: 3072000,
        },
      },
    },
  },
  getChannelData: {
    request: {},
    responses: {
      '416': {
        outside: {
          ok: false,
          error: 'range_not_satisfiable',
          message: 'The range is outside the plane, which has 1,536,000 bytes.',
          details: null,
        },
      },
    },
  },
  getOmeZarr04: {
    request: {},
    responses: {
      '200': {
        attributes: {
          multiscales: [
            {
              version: '0.4',
              name: 'Synthetic vessel line scan',
              type: 'mean',
              metadata: {
                description: 'Each sample is the mean of 2 × 2 samples of the level above.',
                method: 'acquisition-store',
              },
              axes: [
                {
                  name: 't',
                  type: 'time',
                },
                {
                  name: 'c',
                  type: 'channel',
                },
                {
                  name: 'z',
                  type: 'space',
                },
                {
                  name: 'y',
                  type: 'space',
                  unit: 'second',
                },
                {
                  name: 'x',
                  type: 'space',
                  unit: 'micrometer',
                },
              ],
              datasets: [
                {
                  path: '0',
                  coordinateTransformations: [
                    {
                      type: 'scale',
                      scale: [1, 1, 1, 0.00117, 0.284],
                    },
                  ],
                },
                {
                  path: '1',
                  coordinateTransformations: [
                    {
                      type: 'scale',
                      scale: [1, 1, 1, 0.00234, 0.568],
                    },
                    {
                      type: 'translation',
                      translation: [0, 0, 0, 0.000585, 0.142],
                    },
                  ],
                },
                {
                  path: '2',
                  coordinateTransformations: [
                    {
                      type: 'scale',
                      scale: [1, 1, 1, 0.00468, 1.136],
                    },
                    {
                      type: 'translation',
                      translation: [0, 0, 0, 0.001755, 0.42599999999999993],
                    },
                  ],
                },
              ],
            },
          ],
          omero: {
            channels: [
              {
                label: 'Calcium',
                color: '00FF00',
                active: true,
                window: {
                  min: 0,
                  max: 65535,
                  start: 0,
                  end: 111,
                },
              },
              {
                label: 'Vessel',
                color: 'FF00FF',
                active: true,
                window: {
                  min: 0,
                  max: 65535,
                  start: 5,
                  end: 83,
                },
              },
            ],
            rdefs: {
              model: 'color',
              defaultT: 0,
              defaultZ: 0,
            },
          },
          acquisition_store: {
            header: {
              shape: [2, 4000, 96],
              dims: ['C', 'Y', 'X'],
              sizes: {
                C: 2,
                Y: 4000,
                X: 96,
              },
              dtype: 'uint16',
              numChannels: 2,
              physicalUnits: [1, 0.00117, 0.284],
              physicalUnitsLabels: ['Channels', 'seconds', 'micrometer'],
              date: '20260115',
              time: '10:30:00',
              fileSize: '641 KB',
              calibration: ['default', 'file', 'file'],
            },
            warnings: [],
            source: {
              name: 'vessel-kymograph.ome.tif',
              format: 'ome.tif',
              revision: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f445e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
            },
          },
          acqstore_pixels: {
            header: {
              shape: [2, 4000, 96],
              dims: ['C', 'Y', 'X'],
              sizes: {
                C: 2,
                Y: 4000,
                X: 96,
              },
              dtype: 'uint16',
              num_channels: 2,
              physical_units: [1, 0.00117, 0.284],
              physical_units_labels: ['Channels', 'seconds', 'micrometer'],
              date: '20260115',
              time: '10:30:00',
              file_size: '641 KB',
            },
          },
        },
      },
    },
  },
  getOmeZarr05: {
    request: {},
    responses: {
      '200': {
        array: {
          zarr_format: 3,
          node_type: 'array',
          shape: [1, 2, 1, 4000, 96],
          data_type: 'uint16',
          chunk_grid: {
            name: 'regular',
            configuration: {
              chunk_shape: [1, 1, 1, 1024, 96],
            },
          },
          chunk_key_encoding: {
            name: 'default',
            configuration: {
              separator: '/',
            },
          },
          fill_value: 0,
          codecs: [
            {
              name: 'bytes',
              configuration: {
                endian: 'little',
              },
            },
          ],
          dimension_names: ['t', 'c', 'z', 'y', 'x'],
          attributes: {},
        },
      },
      '409': {
        ended: {
          ok: false,
          error: 'session_ended',
          message: 'The session does not exist. It was deleted or has expired. Open the file again.',
          details: null,
        },
      },
    },
  },
  getStatistics: {
    request: {},
    responses: {
      '200': {
        part: {
          ok: true,
          apiVersion: 'v2',
          rows: [0, 1000],
          columns: [0, 96],
          samples: 96000,
          nan: 0,
          posInf: 0,
          negInf: 0,
          finite: 96000,
          sum: 1089830,
          min: 0,
          max: 76,
          mean: 11.352395833333333,
          std: 9.774622994092882,
          percentiles: [
            {
              percent: 1,
              value: 0,
            },
            {
              percent: 50,
              value: 8,
            },
            {
              percent: 99,
              value: 48,
            },
          ],
          histogram: {
            edges: [0, 19, 38, 57, 76],
            counts: [80677, 12235, 2840, 248],
            below: 0,
            above: 0,
          },
        },
      },
      '422': {
        outside: {
          ok: false,
          error: 'region_out_of_range',
          message:
            '`rows=0:9999` is outside the plane or empty: the first must be below the end, and the end at most 4,000.',
          details: null,
        },
      },
    },
  },
  getProfile: {
    request: {
      line: {
        points: [
          [0, 10],
          [3, 14],
        ],
        width: 3,
      },
    },
    responses: {
      '200': {
        line: {
          ok: true,
          apiVersion: 'v2',
          length: 5,
          spacing: 1,
          unit: null,
          distance: [0, 1, 2, 3, 4, 5],
          rows: [0, 0.6, 1.2, 1.8, 2.4, 3],
          columns: [10, 10.8, 11.6, 12.4, 13.2, 14],
          values: [
            9.239999999999998, 10.360000000000007, 15.346666666666666, 12.146666666666667, 15.44, 17.053333333333338,
          ],
        },
      },
    },
  },
  getTraces: {
    request: {
      columns: {
        along: 'Y',
        regions: [
          {
            columns: [20, 40],
          },
        ],
      },
    },
    responses: {
      '422': {
        noRegion: {
          ok: false,
          error: 'region_out_of_range',
          message:
            '`regions[0].columns` 5:5 is outside the plane or empty: the first must be below the end, and the end at most 96.',
          details: null,
        },
      },
    },
  },
  deleteSession: {
    request: {},
    responses: {
      '200': {
        deleted: {
          ok: true,
          sessionId: '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44',
          deleted: true,
        },
      },
    },
  },
};
