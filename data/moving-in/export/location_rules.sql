SELECT JSON_OBJECT('id', r.id, 'location_id', r.location_id, 'name', r.name, 'enabled', r.enabled, 'cut', r.cut, 'add', r.`add`,
  'minlen', r.minlen, 'maxlen', r.maxlen, 'lr_type', r.lr_type, 'lcr_id', r.lcr_id, 'tariff_id', r.tariff_id, 'did_id', r.did_id,
  'device_id', r.device_id) FROM locationrules r;
