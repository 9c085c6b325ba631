SELECT JSON_OBJECT('id', r.id, 'device_id', r.device_id, 'enabled', r.enabled, 'pr_type', r.pr_type, 'name', r.name,
  'cut', r.cut, 'add', r.`add`, 'minlen', r.minlen, 'maxlen', r.maxlen) FROM devicerules r;
