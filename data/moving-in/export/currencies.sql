SELECT JSON_OBJECT('name', c.name, 'exchange_rate', c.exchange_rate, 'auto_update', c.curr_update = 1)
FROM currencies c JOIN every_currency e ON BINARY e.name = c.name;
