function [values, unit] = acqcoordinates(acq, axis)
%ACQCOORDINATES  Read measured times or positions of an axis.
%   t = ACQCOORDINATES(acq, 'T') returns when each time point was recorded, in seconds from the first one that is known;
%   'Z' returns depths in micrometers, 'Y' the times of the lines of a line scan. NaN where the file has no value.
%   [values, unit] = ACQCOORDINATES(acq, axis) also returns the unit. An axis that acq.header.coordinates does not list
%   is known by its step alone: values is then empty.
%
%   See also ACQOPEN, ACQREAD.
  values = zeros(1, 0);
  unit = '';
  if ~isfield(acq.header, 'coordinates') || ~isfield(acq.header.coordinates, axis), return; end
  unit = acq.header.coordinates.(axis).unit;
  size = acq.header.sizes.(axis);
  rows = 100000;
  while numel(values) < size
    address = sprintf('/api/v2/sessions/%s/coordinates?axis=%s&from=%d&count=%d', acq.sessionId, axis, numel(values), rows);
    told = acqrequest(acq, 'GET', address);
    values = [values, acqnumbers(told.axes.(axis).values)];
  end
end
