function entry = acqchannel(channels, channel)
% Returns the channel with a name, or with an index counted from 0.
  if ischar(channel) || isa(channel, 'string')
    k = find(strcmp({channels.name}, char(channel)), 1);
  else
    k = find([channels.index] == channel, 1);
  end
  if isempty(k)
    error('acqstore:channel_not_found', 'There is no channel %s. Open channels: %s.', num2str(channel), strjoin({channels.name}, ', '));
  end
  entry = channels(k);
end
