function acq = acqopen(path, varargin)
%ACQOPEN  Open a microscope acquisition through Acquisition Store Server.
%   acq = ACQOPEN(path) opens all channels of a file. A relative path, or one with ~, is that of this program;
%   to a server on another computer, give the absolute path there.
%   acq = ACQOPEN(path, name, value, ...) takes these options:
%     'channels'     indices of the channels to open, such as [0 2]
%     'selection'    which plane, such as struct('T', 5, 'Z', 2) or struct('S', 1)
%     'projection'   such as struct('Z', 'max')
%     'calibration'  such as struct('Y', struct('step', 0.002, 'unit', 'seconds'))
%     'interpret'    what the planes are, such as struct('axes', struct('T', 14))
%     'parts'        'all': the recording in several files that the file is a part of
%     'decode'       'now' (default), or 'later' to decode a plane when it is first read
%     'ttl'          seconds until the session ends; 600 unless the server has another default
%     'url'          address of the server; default: ACQSTORE_URL, else http://127.0.0.1:8767
%     'token'        token of the server; default: ACQSTORE_TOKEN
%   Every index counts from 0, as in the API of the server.
%
%   acq has the fields of the open response: source, header, plane (shape and axes with step and unit),
%   channels, reference ([] without one), warnings. Warnings are also shown.
%   A session that has ended is opened again by the next read; a file that has changed since then is an error,
%   acqstore:source_changed.
%   Errors have the identifier acqstore:CODE, such as acqstore:path_not_found.
%
%   See also ACQSERVER, ACQREAD, ACQREADALL, ACQREFERENCE, ACQCLOSE.
  opt = acqoptions(struct('channels', [], 'selection', [], 'projection', [], 'calibration', [], 'interpret', [], 'parts', [], ...
    'decode', [], ...
    'ttl', [], 'url', [], 'token', getenv('ACQSTORE_TOKEN')), varargin);
  server = struct('url', acqaddress(opt.url), 'token', char(opt.token));
  body = struct('path', acqpath(path, server.url));
  if ~isempty(opt.channels), body.channelIndices = num2cell(double(opt.channels(:)')); end
  if ~isempty(opt.ttl), body.ttlSeconds = opt.ttl; end
  for name = {'selection', 'projection', 'calibration', 'interpret', 'parts', 'decode'}
    if ~isempty(opt.(name{1})), body.(name{1}) = opt.(name{1}); end
  end
  acq = acqrequest(server, 'POST', '/api/v2/open', body);
  acq.channels = acqstructs(acq.channels);
  acq.plane.axes = acqstructs(acq.plane.axes);
  if isstruct(acq.reference)
    acq.reference.channels = acqstructs(acq.reference.channels);
    acq.reference.plane.axes = acqstructs(acq.reference.plane.axes);
  end
  if ~iscell(acq.warnings), acq.warnings = cellstr(acq.warnings); end
  acq.warnings = acq.warnings(~cellfun(@isempty, acq.warnings));
  acq.request = body;
  acq.url = server.url;
  acq.token = server.token;
  for k = 1:numel(acq.warnings), warning('acqstore:warning', '%s', acq.warnings{k}); end
end
