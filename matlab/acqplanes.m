function planes = acqplanes(acq)
%ACQPLANES  Read what the file says of each plane: when and where it was recorded.
%   planes = ACQPLANES(acq) returns a struct of columns, with a row for each plane: T, Z and C count from 0; time is in
%   seconds from the first plane, exposure in seconds, x, y and z in micrometers. A column that the file does not have
%   is missing, and NaN stands where it has no value. In MATLAB, struct2table(planes) makes a table of it.
%
%   See also ACQCOORDINATES, ACQMETADATA.
  planes = struct();
  count = 0; total = 1;
  while count < total
    address = sprintf('/api/v2/sessions/%s/planes?from=%d&count=%d', acq.sessionId, count, 100000);
    told = acqrequest(acq, 'GET', address);
    total = told.total;
    names = fieldnames(told.columns);
    for k = 1:numel(names)
      column = acqnumbers(told.columns.(names{k}))';
      if count > 0, column = [planes.(names{k}); column]; end
      planes.(names{k}) = column;
    end
    count = numel(planes.(names{1}));
  end
end
