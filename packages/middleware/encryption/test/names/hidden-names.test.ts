import { inspect } from 'node:util'
import { newVersion } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { utf8 } from '../records.ts'
import { everything, listed, moveTo, naming, stackOf, usersOf, watched } from './named.ts'

describe('a store below hashed names', () => {
  test('receives no part of a key or namespace, in no verb, page or resume', async () => {
    const planted = Array.from({ length: 48 }, (_, i) => `planted${i}secret`)
    const { store, seen, below } = watched()
    const root = usersOf(store)
    for (const [i, name] of planted.entries()) {
      const space =
        [root, root.namespace(name), root.namespace(name).namespace(`${name}inner`)][i % 3] ?? root
      await space.set(`key of ${name}`, utf8(`value ${i}`), { ttlMs: 60_000 })
      await space.setMany([[`many ${name}`, utf8('1')]])
      await space.get(`key of ${name}`)
      await space.has(`absent ${name}`)
      await space.getMany([`key of ${name}`, `absent ${name}`])
      await space.update(`key of ${name}`, (value) => value)
      await space.touch(`key of ${name}`, { ttlMs: 1_000_000 })
      await listed(space.keys({ prefix: `key of ${name}`, pageSize: 2 }))
      await listed(space.entries({ pageSize: 3 }))
      await space.delete(`many ${name}`)
      await stackOf(store).write(
        [
          {
            type: 'set',
            key: internalKey('chunk', `${namespacePrefix([name])}k`, `part of ${name}`),
            value: utf8('x'),
            version: newVersion(),
          },
        ],
        callOptions(),
      )
      if (i % 8 === 7) await space.clear({ prefix: `key of ${name}` })
      if (i % 16 === 15) await root.namespace(name).clear({ all: true })
    }
    const text = everything([seen, below.native])
    expect(text.length).toBeGreaterThan(100_000)
    for (const form of [/planted/i, /secret/i, /inner/, /key of/, /many /, /part of/])
      expect(text).not.toMatch(form)
    const forms = planted.flatMap((name) =>
      (['hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(name).toString(form).slice(0, 12)),
    )
    for (const form of forms) expect(text).not.toContain(form)
  })

  test('has its resume between pages, which names nothing and continues in another instance', async () => {
    const { store, seen } = watched()
    const users = usersOf(store)
    await users.setMany(Array.from({ length: 20 }, (_, i) => [`planted${i}`, utf8(`${i}`)] as const))
    const found: string[] = []
    for await (const { items, cursor } of users.keys({ pageSize: 6 }).pages()) {
      found.push(...items)
      if (cursor === undefined) continue
      const rest = await listed(usersOf(store).keys({ pageSize: 6, cursor }))
      expect([...found, ...rest].toSorted()).toHaveLength(20)
    }
    expect(found.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `planted${i}`).toSorted())
    expect(inspect(seen, { depth: 9, maxArrayLength: null })).not.toContain('planted')
  })

  test('tells its own hash to nobody above: errors name the key that was asked for', async () => {
    const store = memory()
    const users = usersOf(store)
    await users.set('ada', utf8('1'))
    await moveTo(store, naming.stored('ada'), naming.stored('bob'))
    const failure: unknown = await users.get('bob').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'AUTHENTICATION_FAILED', key: 'bob' })
    expect(inspect(failure, { showHidden: true })).not.toContain(naming.stored('bob'))
  })
})
