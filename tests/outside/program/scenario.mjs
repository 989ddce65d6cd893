import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

const soon = () => new Promise((resolve) => setTimeout(resolve, 5))

/**
 * What a program does with a store: get, set, TTL, update, listing, close. It is given core by whoever imported it.
 * `pass` lets time go on where the clock of the test stands still.
 */
export async function scenario({ keyValue, json }, store, pass = soon) {
  const all = keyValue(store, [json()])
  const kv = all.namespace(`outside-${randomUUID()}`)
  await values(kv)
  await expiry(kv, pass)
  await updates(kv)
  await listing(kv)
  await all.close()
  await assert.rejects(all.get('ada'), { code: 'CLOSED' })
}

async function values(kv) {
  assert.equal(await kv.get('ada'), undefined)
  await kv.set('ada', { name: 'Ada', born: 1815 })
  assert.deepEqual(await kv.get('ada'), { name: 'Ada', born: 1815 })
  const [ada, nobody] = await kv.getMany(['ada', 'nobody'])
  assert.deepEqual([ada.name, nobody], ['Ada', undefined])
  const many = await Promise.all(Array.from({ length: 20 }, () => kv.get('ada')))
  assert.deepEqual(new Set(many.map(({ born }) => born)), new Set([1815]))
}

async function expiry(kv, pass) {
  await kv.set('session', 's', { ttlMs: 3_600_000 })
  assert.equal(typeof (await kv.getEntry('session')).expiresAt, 'number')
  await kv.set('session', 's', { ttlMs: 40 })
  while ((await kv.get('session')) !== undefined) await pass()
}

async function updates(kv) {
  await Promise.all(Array.from({ length: 5 }, () => kv.update('count', (count = 0) => count + 1)))
  assert.equal(await kv.get('count'), 5)
}

async function listing(kv) {
  const keys = []
  for await (const key of kv.keys({ prefix: 'a' })) keys.push(key)
  assert.deepEqual(keys, ['ada'])
  await kv.clear({ all: true })
  assert.equal(await kv.count(), 0)
}
