function entries = acqmetadata(acq)
%ACQMETADATA  Read the settings that the recording software wrote.
%   entries = ACQMETADATA(acq) returns a cell array, entries x 2: names and values in the order of the file.
%
%   Example: the names that contain "laser"
%     entries(~cellfun(@isempty, regexpi(entries(:, 1), 'laser')), :)
%
%   See also ACQOPEN, ACQPLANES.
  told = acqrequest(acq, 'GET', ['/api/v2/sessions/' acq.sessionId '/acquisition?metadata=true']);
  list = acqstructs(told.source.metadata.entries);
  entries = cell(0, 2);
  if ~isempty(list), entries = [{list.name}' {list.value}']; end
end
