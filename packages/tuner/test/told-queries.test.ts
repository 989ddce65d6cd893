import { expect, test } from 'vitest'
import { attributesIn } from '../src/tactics/indexers/told-queries.ts'

test.each([
  ['SELECT count(*) FROM tx WHERE ip = $1', ['ip']],
  ['select * from "shop"."tx" t where "ip" = $1 and card = $2 and at > $3', ['ip', 'card']],
  ["SELECT count(*) FROM tx WHERE value->>'ip' = $1 AND (value->>'at')::bigint > $2", ['ip']],
  ["SELECT v FROM tx WHERE value->'customer'->>'country' = $1", ['customer.country']],
  ['SELECT COUNT ( * ) FROM `tx` WHERE `ip` = ? ', ['ip']],
  ['SELECT * FROM `shop` . `tx` `t` WHERE `t` . `ip` = ? AND `card` = ? AND ID > ? ', ['ip', 'card']],
  ['SELECT * FROM `tx` WHERE ID = ? ', ['id']],
  ['SELECT `k` FROM `tx` WHERE `JSON_VALUE` ( VALUE , ? ) = ? ', undefined],
  ['SELECT * FROM other WHERE ip = $1', undefined],
  ['SELECT * FROM tx JOIN o ON o.id = tx.id WHERE ip = $1', undefined],
  ['SELECT * FROM tx WHERE ip = $1 OR card = $2', undefined],
  ['SELECT * FROM tx WHERE at > $1', undefined],
  ['SELECT * FROM tx', undefined],
])('attributes in %s', (text, by) => {
  expect(attributesIn(text, 'tx')).toEqual(by)
})
