import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { utf8 } from '../records.ts'
import { listed, usersOf } from './named.ts'

describe('namespaces of any depth', () => {
  test('are listed and cleared exactly, also below the fourth', async () => {
    const users = usersOf(memory())
    const deep = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    let space: ReturnType<typeof users.namespace> = users
    const spaces = [users as typeof space]
    for (const name of deep) {
      space = space.namespace(name)
      spaces.push(space)
    }
    for (const [i, one] of spaces.entries())
      await one.setMany([
        [`of ${i}`, utf8('1')],
        ['shared', utf8(`${i}`)],
      ])
    const sibling = (spaces[4] as typeof space).namespace('e2')
    await sibling.set('shared', utf8('sibling'))
    for (const [i, one] of spaces.entries())
      expect((await listed(one.keys())).toSorted()).toEqual([`of ${i}`, 'shared'])
    expect(await listed((spaces[6] as typeof space).keys({ prefix: 'of' }))).toEqual(['of 6'])
    await (spaces[5] as typeof space).clear({ all: true })
    for (const [i, one] of spaces.entries()) expect(await one.count()).toBe(i < 5 ? 2 : 0)
    expect(await sibling.get('shared')).toEqual(Buffer.from('sibling'))
    await (spaces[1] as typeof space).clear({ all: true })
    expect(await sibling.count()).toBe(0)
    expect(await users.count()).toBe(2)
  })

  test('hold keys of 1,024 bytes whatever the store takes, and one byte more is KEY_TOO_LONG', async () => {
    const store = memory()
    const narrow = { ...store, capabilities: { ...store.capabilities, maxKeyBytes: 180 } }
    const users = usersOf(narrow)
    const longest = 'k'.repeat(1024 - 9)
    const space = users.namespace('seven77')
    await space.set(longest, utf8('1'))
    expect(await listed(space.keys())).toEqual([longest])
    await expect(space.set(`${longest}k`, utf8('1'))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
    for (const key of store.native.keys()) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(180)
  })
})
