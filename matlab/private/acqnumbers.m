function row = acqnumbers(told)
% Returns numbers of JSON as a row. With null they become a cell array, or an array with NaN, by program and version.
  if iscell(told)
    told(cellfun(@isempty, told)) = {NaN};
    told = cell2mat(told(:)');
  end
  row = double(told(:)');
end
