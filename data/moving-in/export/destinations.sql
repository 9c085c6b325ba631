SELECT JSON_OBJECT('prefix', d.prefix, 'direction', d.direction, 'destination', d.name)
FROM moving_destinations d WHERE d.stays IS NULL;
