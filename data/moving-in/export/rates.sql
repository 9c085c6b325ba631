-- Rates of single destinations, and those of groups of destinations, which retail tariffs have.
SELECT JSON_OBJECT('tariff_id', r.tariff_id, 'direction', r.direction, 'destination', r.destination, 'prefix', r.prefix,
  'code', r.subcode, 'tariff_rate', r.rate, 'con_fee', r.connection_fee, 'increment', r.increment_s, 'min_time', r.min_time,
  'start_time', r.start_time, 'end_time', r.end_time, 'daytype', r.daytype, 'effective_from', r.effective_from)
FROM moving_rates r WHERE r.stays IS NULL;
