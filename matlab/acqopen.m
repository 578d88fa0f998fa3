function acq = acqopen(path, varargin)
%ACQOPEN  Open a microscope acquisition through Acquisition Store Server.
%   acq = ACQOPEN(path) opens all channels of a file. The path is absolute, on the computer of the server.
%   acq = ACQOPEN(path, name, value, ...) takes these options:
%     'channels'     indices of the channels to open, such as [0 2]
%     'selection'    which plane, such as struct('T', 5, 'Z', 2) or struct('S', 1)
%     'projection'   such as struct('Z', 'max')
%     'calibration'  such as struct('Y', struct('step', 0.002, 'unit', 'seconds'))
%     'interpret'    what the planes are, such as struct('axes', struct('T', 14))
%     'decode'       'now' (default), or 'later' to decode a plane when it is first read
%     'ttl'          seconds until the session ends; 600 unless the server has another default
%     'url'          address of the server; default: ACQSTORE_URL, else http://127.0.0.1:8767
%     'token'        token of the server; default: ACQSTORE_TOKEN
%   Every index counts from 0, as in the API of the server.
%
%   acq has the fields of the open response: source, header, plane (shape and axes with step and unit),
%   channels, reference ([] without one), warnings. Warnings are also shown.
%   Errors have the identifier acqstore:CODE, such as acqstore:path_not_found.
%
%   See also ACQREAD, ACQREADALL, ACQREFERENCE, ACQCLOSE.
  opt = acqoptions(struct('channels', [], 'selection', [], 'projection', [], 'calibration', [], 'interpret', [], ...
    'decode', [], ...
    'ttl', [], 'url', getenv('ACQSTORE_URL'), 'token', getenv('ACQSTORE_TOKEN')), varargin);
  if isempty(opt.url), opt.url = 'http://127.0.0.1:8767'; end
  server = struct('url', regexprep(char(opt.url), '/+$', ''), 'token', char(opt.token));
  body = struct('path', char(path));
  if ~isempty(opt.channels), body.channelIndices = num2cell(double(opt.channels(:)')); end
  if ~isempty(opt.ttl), body.ttlSeconds = opt.ttl; end
  for name = {'selection', 'projection', 'calibration', 'interpret', 'decode'}
    if ~isempty(opt.(name{1})), body.(name{1}) = opt.(name{1}); end
  end
  acq = acqrequest(server, 'POST', '/api/v2/open', body);
  acq.channels = structs(acq.channels);
  acq.plane.axes = structs(acq.plane.axes);
  if isstruct(acq.reference)
    acq.reference.channels = structs(acq.reference.channels);
    acq.reference.plane.axes = structs(acq.reference.plane.axes);
  end
  if ~iscell(acq.warnings), acq.warnings = cellstr(acq.warnings); end
  acq.warnings = acq.warnings(~cellfun(@isempty, acq.warnings));
  acq.url = server.url;
  acq.token = server.token;
  for k = 1:numel(acq.warnings), warning('acqstore:warning', '%s', acq.warnings{k}); end
end

function list = structs(decoded)
% Objects with different fields are decoded as a cell array: a color is missing where the file has none.
  if ~iscell(decoded), list = decoded; return, end
  names = {};
  for k = 1:numel(decoded), names = union(names, fieldnames(decoded{k})); end
  for k = 1:numel(decoded)
    for n = 1:numel(names)
      if isfield(decoded{k}, names{n}), list(k).(names{n}) = decoded{k}.(names{n}); else, list(k).(names{n}) = []; end
    end
  end
end
