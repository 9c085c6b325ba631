SELECT JSON_OBJECT('id', s.id, 'owner_id', s.owner_id, 'name', s.name, 'type', s.servicetype, 'period', s.periodtype,
  'price', s.price, 'self_cost', s.selfcost_price, 'quantity', s.quantity) FROM services s;
