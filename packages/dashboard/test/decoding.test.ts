import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { encode as encodeMsgpack } from '@msgpack/msgpack'
import { openStores } from '@unikv/manager'
import { encode as encodeCbor } from 'cbor-x'
import protobuf from 'protobufjs'
import { afterAll, describe, expect, test } from 'vitest'
import { type DashboardOptions, dashboard } from '../src/index.ts'

// Values as the page shows them: by decoders of the configuration, by choice, and by their first bytes.

const folder = mkdtempSync(join(tmpdir(), 'unikv-decoding-'))
const proto = join(folder, 'user.proto')
const own = join(folder, 'own.mjs')
writeFileSync(proto, 'syntax = "proto3"; package acme; message User { string name = 1; uint64 id = 2; }')
writeFileSync(
  own,
  `export const decode = (bytes, { key }) => {
     if (key.endsWith(':slow')) for (;;);
     if (key.endsWith(':large')) { const kept = []; for (;;) kept.push(new Array(1e6).fill(1.5)) }
     return { reversed: Buffer.from(bytes).toString().split('').reverse().join(''), key }
   }
   export const encode = ({ reversed }) => Buffer.from(reversed.split('').reverse().join(''))`,
)
const manager = await openStores({
  stores: {
    raw: 'memory:',
    structured: { url: 'memory:', layers: ['structured'] },
    users: { url: 'memory:', layers: ['json'] },
  },
  dashboard: {
    decoders: [
      { keys: 'session:*', as: 'msgpack' },
      { keys: 'packed:*', as: ['brotli', 'cbor'] },
      { keys: 'user:*', as: 'protobuf', proto, message: 'acme.User' },
      { store: 'raw', keys: 'own:*', module: own },
    ],
  },
})
const { raw, structured, users } = manager.stores
afterAll(async () => {
  await manager.close()
  rmSync(folder, { recursive: true })
})

interface View {
  readonly version: string
  readonly base64: string
  readonly decoded: {
    readonly as: readonly string[]
    readonly by: string
    readonly kind: string
    readonly text?: string
    readonly characters?: number
    readonly error?: string
    readonly edits?: string
    readonly own?: string
    readonly type?: string
  }
}

function opened(options: Partial<DashboardOptions> = {}) {
  const { fetch, close } = dashboard(manager, { unprotected: true, writable: true, ...options })
  afterAll(close)
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new Request(`http://localhost/api/stores/${path}`, init))
  const view = async (key: string, more = '', store = 'raw'): Promise<View['decoded']> => {
    const answer = await ask(`${store}/entry?key=${encodeURIComponent(key)}${more}`)
    return ((await answer.json()) as View).decoded
  }
  return { ask, view }
}

const value = { name: 'Ada', tags: ['a', 'b'], n: 2n ** 63n, raw: new Uint8Array([1, 255]) }
const shownText =
  '{\n  "name": "Ada",\n  "tags": [\n    "a",\n    "b"\n  ],\n  "n": 9223372036854775808,\n  "raw": "<2 bytes> 01ff"\n}'
const msgpack = encodeMsgpack(value, { useBigInt64: true })
const cbor = encodeCbor({ name: 'Ada', at: new Date(0), list: new Set([1]) })
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('a value that no layer decodes', () => {
  test('is decoded as the configuration says for its key', async () => {
    const { view } = opened()
    await raw.set('session:1', msgpack)
    expect(await view('session:1')).toEqual({
      by: 'the configuration',
      own: 'msgpack',
      as: ['msgpack'],
      kind: 'json',
      text: shownText,
      characters: shownText.length,
    })
    await raw.set('packed:1', brotliCompressSync(cbor))
    const packed = await view('packed:1')
    expect([packed.as, packed.edits]).toEqual([['brotli', 'cbor'], undefined])
    expect(JSON.parse(packed.text ?? '')).toEqual({ name: 'Ada', at: '1970-01-01T00:00:00.000Z', list: [1] })
    const User = protobuf.parse(readFileSync(proto, 'utf8')).root.lookupType('acme.User')
    await raw.set('user:1', User.encode({ name: 'Ada', id: 7 }).finish())
    const user = await view('user:1')
    expect([user.own, JSON.parse(user.text ?? '')]).toEqual(['protobuf acme.User', { name: 'Ada', id: '7' }])
  })

  test.each([
    ['JSON', Buffer.from('{"a": 1}'), ['json'], 'json'],
    ['text', Buffer.from('hello'), ['text'], 'text'],
    ['SVG, which is text', Buffer.from('<svg onload="alert(1)"/>'), ['text'], 'text'],
    ['msgpack', Buffer.from(msgpack), ['msgpack'], 'json'],
    ['CBOR', cbor, ['cbor'], 'json'],
    ['an image', png, ['image'], 'image'],
    ['gzip of JSON', gzipSync('{"a":1}'), ['gzip', 'json'], 'json'],
    ['gzip of gzip of gzip', gzipSync(gzipSync(gzipSync('x'))), ['gzip', 'gzip', 'hex'], 'hex'],
    ['bytes', Buffer.from([0, 1, 2, 254]), ['hex'], 'hex'],
    ['nothing', Buffer.alloc(0), ['text'], 'text'],
  ])('is decoded by its first bytes: %s', async (_, bytes, as, kind) => {
    await raw.set('guess', bytes)
    const decoded = await opened().view('guess')
    expect([decoded.by, decoded.as, decoded.kind]).toEqual(['the first bytes', as, kind])
  })

  test('is decoded as its reader chooses, and a choice that there is not is refused', async () => {
    const { view, ask } = opened()
    await raw.set('session:2', gzipSync(msgpack))
    expect(await view('session:2')).toMatchObject({ kind: 'hex', as: ['msgpack'], error: expect.any(String) })
    expect(await view('session:2', '&as=gzip,msgpack')).toMatchObject({ by: 'you', text: shownText })
    expect(await view('session:2', '&as=hex')).toMatchObject({ kind: 'hex' })
    for (const choice of ['own2', 'protobuf', 'module', ''])
      expect((await ask(`raw/entry?key=session:2&as=${choice}`)).status).toBe(400)
  })

  test('is shown in part if it is long, and whole if it is asked for', async () => {
    const { view } = opened()
    await raw.set('session:long', encodeMsgpack({ text: 'x'.repeat(100_000) }))
    const first = await view('session:long')
    expect([first.text?.length, (first.characters ?? 0) > 100_000]).toEqual([65_536, true])
    const whole = await view('session:long', '&whole=true')
    expect(whole.text?.length).toBe(whole.characters)
  })

  test('is an image in its own bytes, under a policy that runs nothing', async () => {
    await raw.set('image', gzipSync(png))
    const { ask, view } = opened()
    expect(await view('image')).toMatchObject({ kind: 'image', type: 'image/png' })
    const answer = await ask('raw/entry/image?key=image')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    await raw.set('image', Buffer.from('<svg onload="alert(1)"/>'))
    expect((await ask('raw/entry/image?key=image')).status).toBe(400)
  })
})

describe('bytes of an attacker', () => {
  test('that unpack to very many are told of, and so is a decoder that never ends or takes all memory', async () => {
    const { view } = opened()
    await raw.set('packed', gzipSync(Buffer.alloc(40_000_000)))
    expect((await view('packed')).error).toMatch(/larger than/)
    await raw.set('own:slow', Buffer.from('abc'))
    expect((await view('own:slow')).error).toBe('Decoding took longer than 2 s.')
    await raw.set('own:large', Buffer.from('abc'))
    expect((await view('own:large')).error).toMatch(/needs more than 256 MB of memory|longer than 2 s/)
    // The next one has a thread again.
    await raw.set('own:1', Buffer.from('abc'))
    expect(JSON.parse((await view('own:1')).text ?? '')).toEqual({ reversed: 'cba', key: 'own:1' })
  })

  test('that are very deep or refer to very many are shown as far as it goes', async () => {
    const { view } = opened()
    await raw.set('session:deep', Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]))
    const deep = await view('session:deep')
    expect(deep.error ?? deep.text).toMatch(/deeper than is shown|call stack|longer than/)
    await raw.set('session:many', Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]))
    expect((await view('session:many')).error).toBeDefined()
  })

  test('of more than 8 MiB are not decoded, and still shown as text where they are', async () => {
    const { view } = opened()
    await raw.set('session:large', Buffer.alloc(8_388_609, 0x20))
    expect((await view('session:large')).error).toContain('above 8 MiB')
    await raw.set('large', Buffer.alloc(8_388_609, 0x20))
    expect(await view('large')).toMatchObject({ kind: 'text', as: ['text'] })
  })
})

test('a value of a codec without portable bytes is shown as the application has it', async () => {
  await structured.set('a', new Map([['x', new Date(0)]]))
  expect(await opened().view('a', '', 'structured')).toMatchObject({
    by: 'the layers',
    as: ['structured'],
    text: '{\n  "x": "1970-01-01T00:00:00.000Z"\n}',
  })
})

describe('a value that is edited', () => {
  const put = (body: object): RequestInit => ({
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

  test('is encoded by its own decoder, and read-only where that cannot', async () => {
    const { ask, view } = opened()
    const { version } = await raw.set('own:1', Buffer.from('abc'))
    expect((await view('own:1')).edits).toBe('value')
    const answer = await ask('raw/entry?key=own:1', put({ value: { reversed: 'xyz' }, ifVersion: version }))
    expect(answer.status).toBe(200)
    expect(Buffer.from((await raw.get('own:1')) ?? []).toString()).toBe('zyx')
    await raw.set('session:1', msgpack)
    expect((await ask('raw/entry?key=session:1', put({ value: 1, ifVersion: null }))).status).toBe(400)
    const wrong = await ask('raw/entry?key=own:1', put({ value: null, ifVersion: null }))
    expect([wrong.status, ((await wrong.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining('The decoder cannot encode this value'),
    ])
  })

  test('is decoded and encoded by functions of the program, too', async () => {
    const decoders = [
      {
        keys: 'mine:*',
        decode: (bytes: Uint8Array) => bytes.length,
        encode: (length: unknown) => new Uint8Array(length as number),
      },
      { keys: 'never:*', decode: () => new Promise(() => {}) },
    ]
    const { ask, view } = opened({ decoders })
    const { version } = await raw.set('mine:1', Buffer.from('abc'))
    expect(await view('mine:1')).toMatchObject({ as: ['own function'], text: '3', edits: 'value' })
    expect((await ask('raw/entry?key=mine:1', put({ value: 5, ifVersion: version }))).status).toBe(200)
    expect((await raw.get('mine:1'))?.length).toBe(5)
    await raw.set('never:1', Buffer.from('abc'))
    expect((await view('never:1')).error).toBe('Decoding took longer than 2 s.')
  })

  test('gets another end of its life, which is undone', async () => {
    const { ask } = opened()
    const { version } = await users.set('a', { n: 1 }, { ttlMs: 60_000 })
    const before = (await users.head('a'))?.expiresAt
    const expiresAt = Date.now() + 3_600_000
    const answer = await ask('users/entry?key=a', put({ expiresAt, ifVersion: version }))
    const { undo } = (await answer.json()) as { undo: string }
    expect([(await users.head('a'))?.expiresAt, await users.get('a')]).toEqual([expiresAt, { n: 1 }])
    await ask('users/undo', { ...put({ undo }), method: 'POST' })
    expect((await users.head('a'))?.expiresAt).toBe(before)
    const last = (await users.head('a'))?.version
    await ask('users/entry?key=a', put({ expiresAt: null, ifVersion: last }))
    expect((await users.head('a'))?.expiresAt).toBeUndefined()
  })
})

test.each([
  [{ keys: 'a', as: 'msgpak' }, "Did you mean 'msgpack'?"],
  [{ keys: 'a' }, 'one of as, module and decode'],
  [{ keys: 'a', as: 'json', module: 'x' }, 'one of as, module and decode'],
  [{ keys: '', as: 'json' }, 'needs `keys`'],
  [{ as: 'json' }, 'needs `keys`'],
  [{ keys: 'a', as: 'protobuf' }, 'needs proto'],
  [{ keys: 'a', as: 'json', proto: 'x' }, "belong to as: 'protobuf'"],
  [{ keys: 'a', decode: 5 }, 'must be a function'],
  [{ keys: 'a', as: 'json', encode: () => new Uint8Array() }, 'needs decode'],
  [{ keys: 'a', az: 'json' }, 'az'],
])('a decoder that makes no sense is refused: %j', (decoder, message) => {
  expect(() => dashboard(manager, { unprotected: true, decoders: [decoder as never] })).toThrow(message)
})
