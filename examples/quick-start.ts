// A typed map over files: values checked by a schema, encrypted on disk, and objects cached in this process.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { isStoreError, json, keyValue, remove } from '@unikv/core'
import { encryption, keyring } from '@unikv/encryption'
import { file } from '@unikv/file'
import { z } from 'zod'

const User = z.object({ name: z.string(), born: z.coerce.date(), logins: z.number() })
const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })

// The first layer sees the call first; the last one stands next to the store.
const users = keyValue(file({ directory: './data' }), [
  cache({ maxEntries: 10_000 }),
  json(User),
  encryption({ dataset: 'users', keys }),
])

const born = new Date('1815-12-10')
await users.set('ada', { name: 'Ada Lovelace', born, logins: 0 }, { ttlMs: 3_600_000 })
console.log('get:', await users.get('ada')) // the date is a Date again
assert.deepEqual(await users.get('ada'), { name: 'Ada Lovelace', born, logins: 0 })
assert.equal(await users.get('nobody'), undefined)

// Read, change, write if no other write came between; the time to live stays.
await Promise.all(
  [1, 2, 3].map(() => users.update('ada', (ada) => ada && { ...ada, logins: ada.logins + 1 })),
)
assert.equal((await users.get('ada'))?.logins, 3)

// Only if the key is absent.
const second = users.set('ada', { name: 'Impostor', born, logins: 0 }, { ifVersion: null })
await assert.rejects(second, (error) => isStoreError(error) && error.code === 'CONDITION_FAILED')

// A namespace is an exact view: its keys meet no others.
const guests = users.namespace('guests')
await guests.setMany([
  ['bob', { name: 'Bob', born, logins: 0 }],
  ['eve', { name: 'Eve', born, logins: 0 }],
])
for await (const [key, entry] of guests.entries()) console.log('guest:', key, entry.value.name, entry.version)
assert.equal(await guests.count(), 2)
assert.equal(await users.count(), 1)

await guests.update('eve', () => remove)
assert.equal(await guests.has('eve'), false)
console.log('cleared:', await guests.clear({ all: true }))
await users.close()
