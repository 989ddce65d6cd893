// One store before another: a cache, a second copy that outlives an outage, and reads from it while the first is down.
// LMDB and files here; any two stores do: LMDB before S3, Redis before Cassandra.
import assert from 'node:assert/strict'
import { cache } from '@unikv/cache'
import { type CallOptions, json, keyValue, type Read, StoreError } from '@unikv/core'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { fallback, mirror } from '@unikv/mirror'

// LMDB as the cache of files: below the codec, where values are bytes. It outlives the process.
const near = cache({ store: lmdb({ path: './cache' }), namespace: 'users' })
const cached = keyValue(file({ directory: './data' }), [json(), near])
await cached.set('ada', { name: 'Ada' })
await cached.get('ada')
assert.equal((await cached.getEntry('ada'))?.meta?.tier, 'lmdb')
await cached.close()

// Files decide, and LMDB has what they acknowledged. The journal holds the keys that differ, also over a kill -9.
let isDown = false
const files = file({ directory: './data' })
const primary = {
  ...files,
  read: (reads: readonly Read[], call: CallOptions) => {
    if (isDown) throw new StoreError('UNAVAILABLE', 'The primary is down.')
    return files.read(reads, call)
  },
}
const copy = lmdb({ path: './copy' })
const both = mirror(primary, copy, { journal: lmdb({ path: './journal' }) })
const users = keyValue(fallback(both, copy), [json()])

console.log('first copy:', await both.resync())
await users.set('bob', { name: 'Bob' })
await users.delete('ada')
const { same, missing, different, extra } = await both.verify({ bytes: true })
assert.deepEqual({ same, missing, different, extra }, { same: 1, missing: 0, different: 0, extra: 0 })

isDown = true
const bob = await users.getEntry('bob')
console.log('while the primary is down:', bob?.value, bob?.meta)
assert.deepEqual(bob?.meta, { tier: 'lmdb', stale: true })
await assert.rejects(users.get('bob', { consistency: 'strong' }), { code: 'UNAVAILABLE' })
isDown = false
assert.equal((await users.getEntry('bob'))?.meta, undefined)

console.log('owed to the copy:', both.stats().dirty)
await users.close()
