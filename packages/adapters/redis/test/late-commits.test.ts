import { newVersion } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { changeArguments, checkArguments, commitArguments } from '../src/groups/group-arguments.ts'
import { commitScript } from '../src/groups/group-scripts.ts'
import { groupKeys } from '../src/groups/names.ts'
import { freshDataset } from './fresh.ts'

/** A commit that puts `value` under its key, as it would be sent. */
interface Sent {
  readonly token: string
  readonly birth: string
  readonly commits: number
  readonly value: string
  /** The key that the transaction read and changes. @default 'key' */
  readonly key?: string
  /** Whether the key was there. @default true */
  readonly wasThere?: boolean
}

describeWith('redis', (url) => {
  const client = new Redis(url)
  let keys: readonly [hash: string, order: string]
  let birth: string

  beforeEach(async () => {
    keys = groupKeys(freshDataset(), 'group')
    birth = newVersion()
    await send({ token: birth, birth: '', commits: 0, value: 'first', wasThere: false })
    return () => client.unlink(...keys)
  })
  afterAll(() => client.quit())

  function send({ token, commits, value, key = 'key', wasThere = true, ...head }: Sent, again = false) {
    const args = [
      ...commitArguments({ ...head, commits }, token, 0),
      ...changeArguments([{ key, value: Buffer.from(value) }]),
      ...checkArguments({ keys: [[key, wasThere]], ranges: [] }),
      again ? '1' : '0',
    ]
    return client.eval(commitScript.lua, keys.length, ...keys, ...args)
  }

  const stored = async (): Promise<string> => String(await client.hget(keys[0], 'key')).replace(/^\d+ /, '')

  /** Commits to another key, one after the other. */
  async function others(count: number, from: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const other = { birth, commits: from + i, value: 'other', key: 'another', wasThere: i > 0 }
      expect(await send({ token: newVersion(), ...other })).toBe('1')
    }
  }

  describe('a commit that comes late', () => {
    test('is answered as before, also after 63 others', async () => {
      const late = { token: newVersion(), birth, commits: 1, value: 'late' }
      expect(await send(late)).toBe('1')
      expect(await send(late, true)).toBe('1')
      await others(62, 2)
      await send({ token: newVersion(), birth, commits: 64, value: 'newer' })
      expect(await send(late, true)).toBe('1')
      expect(await stored()).toBe('newer')
    })

    test('the one that made the group is answered as before', async () => {
      await others(10, 1)
      expect(await send({ token: birth, birth: '', commits: 0, value: 'first', wasThere: false })).toBe('1')
    })

    test('takes effect if what it read has not changed', async () => {
      await others(63, 1)
      expect(await send({ token: newVersion(), birth, commits: 1, value: 'late' })).toBe('1')
      expect(await stored()).toBe('late')
    })

    test('is refused once others are so many that its token could be forgotten', async () => {
      await others(65, 1)
      expect(await send({ token: newVersion(), birth, commits: 1, value: 'late' })).toBe('0')
      expect(await stored()).toBe('first')
    })

    test('stays refused once its second copy was refused', async () => {
      const late = { token: newVersion(), birth, commits: 1, value: 'late' }
      await send({ token: newVersion(), birth, commits: 1, value: 'newer' })
      expect(await send(late, true)).toBe('0')
      expect(await client.hget(keys[0], '')).toBe(`${birth} 3 0`)
      expect(await send(late)).toBe('0')
      expect(await stored()).toBe('newer')
    })

    test('does nothing to a group that was made anew', async () => {
      await client.unlink(...keys)
      const anew = newVersion()
      await send({ token: anew, birth: '', commits: 0, value: 'anew', wasThere: false })
      expect(await send({ token: newVersion(), birth, commits: 1, value: 'late' })).toBe('0')
      expect(await stored()).toBe('anew')
    })
  })
})
