// No store at all: what changed of a document goes to somebody else, small and sealed. Bytes in, bytes out.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { compress, decompress } from '@unikv/compression'
import { type Bytes, isStoreError } from '@unikv/core'
import { diff, patch } from '@unikv/delta'
import { keyring, kmsKeys, localKms, open, seal } from '@unikv/encryption'

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
/** The purpose that an envelope is bound to: it opens only for that. */
const letterTo = (key: string) => ({ keys, dataset: 'letters', key })

const before = Buffer.from('All men are created equal. '.repeat(400))
const after = Buffer.from(before.toString().replace('men', 'men and women'))

/** One who knows `before` tells what changed. */
async function letter(base: Bytes, target: Bytes): Promise<Bytes> {
  const small = await compress(diff(base, target), { algorithm: 'deflate' })
  return seal(small, letterTo('elizabeth'))
}

/** The other, who knows it too, makes of it what the first has. */
async function read(sealed: Bytes, base: Bytes): Promise<Bytes> {
  const small = open(sealed, letterTo('elizabeth'))
  return patch(base, await decompress(small))
}

const sealed = await letter(before, after)
assert.deepEqual(Buffer.from(await read(sealed, before)), after)
console.log(`${after.length} bytes were told in ${sealed.length}, sealed`)

// It cannot be opened after a change, nor without what it was made from.
const refused = (code: string) => (error: unknown) => isStoreError(error) && error.code === code
const changed = Buffer.from(sealed)
changed.writeUInt8(changed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1)
await assert.rejects(read(changed, before), refused('AUTHENTICATION_FAILED'))
assert.throws(() => open(sealed, letterTo('susan')), refused('AUTHENTICATION_FAILED'))
await assert.rejects(read(sealed, Buffer.from('another base')), refused('CORRUPT'))

// With data keys of a key management service, here one in the process itself, the same functions give promises.
const toSusan = { keys: kmsKeys({ providers: localKms({ keys }) }), dataset: 'letters', key: 'susan' }
assert.deepEqual(Buffer.from(await open(await seal(before, toSusan), toSusan)), before)
