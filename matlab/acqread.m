function plane = acqread(acq, channel, varargin)
%ACQREAD  Read a plane: rows x columns, single unless another type is asked for. In a line scan a row is one line.
%   plane = ACQREAD(acq) reads the first channel that was opened.
%   plane = ACQREAD(acq, channel) reads a channel by its name, or by its index counted from 0.
%   plane = ACQREAD(acq, channel, name, value, ...) takes these options:
%     'T', 'Z'           another time point or section of the same scene
%     'rows', 'columns'  [first end]: from first to the one before end, counted from 0
%     'every'            [r c]: every r-th row and c-th column
%     'type'             'single' (default), or 'native' for the type of the file, such as uint16
%   Only what is asked for is transferred.
%
%   Example: the first 5,000 lines of channel GFP
%     lines = acqread(acq, 'GFP', 'rows', [0 5000]);
%
%   See also ACQOPEN, ACQREADALL, ACQREFERENCE.
  if nargin < 2 || isempty(channel), channel = acq.channels(1).index; end
  entry = acqchannel(acq.channels, channel);
  opt = acqoptions(struct('t', [], 'z', [], 'rows', [], 'columns', [], 'every', [], 'type', 'single'), varargin);
  query = acqtype(opt.type);
  if ~isempty(opt.t), query{end+1} = sprintf('T=%d', opt.t); end
  if ~isempty(opt.z), query{end+1} = sprintf('Z=%d', opt.z); end
  isPart = ~isempty(opt.rows) || ~isempty(opt.columns) || ~isempty(opt.every);
  if ~isempty(opt.rows), query{end+1} = sprintf('rows=%d:%d', opt.rows); end
  if ~isempty(opt.columns), query{end+1} = sprintf('columns=%d:%d', opt.columns); end
  if ~isempty(opt.every), query{end+1} = sprintf('every=%d,%d', opt.every); end
  address = entry.dataUrl;
  if isPart, address = regexprep(address, 'data$', 'window'); end
  if ~isempty(query), address = [address '?' strjoin(query, '&')]; end
  [bytes, headers] = acqrequest(acq, 'GET', address);
  shape = acq.plane.shape(:)';
  if isPart, shape = sscanf(headers.x_array_shape, '%d,%d')'; end
  plane = acqplane(bytes, shape, headers.x_array_dtype);
end
