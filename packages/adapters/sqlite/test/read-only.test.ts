import { spawnSync } from 'node:child_process'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { keyValue, text } from '@unikv/core'
import { sqlite } from '@unikv/sqlite'
import { expect, test } from 'vitest'
import { newPath } from './fresh.ts'

const denied = { code: 'ACCESS_DENIED', operation: 'set' }

for (const threads of [0, 2]) {
  test(`readOnly reads where nothing can be written, makes nothing, and refuses writes (threads: ${threads})`, async ({
    skip,
  }) => {
    const disk = `${await newPath()}-disk`
    await mkdir(disk)
    // Characters that mean something in a URL.
    const path = join(disk, 'a b%20?#&.db')
    const writer = keyValue(sqlite({ path }), [text()])
    await writer.set('a', '1')
    const live = keyValue(sqlite({ path, threads, readOnly: true }), [text()])
    expect(await live.get('a')).toBe('1')
    await writer.set('a', '2')
    expect(await live.get('a')).toBe('2')
    await expect(live.set('a', '3')).rejects.toMatchObject(denied)
    await live.close()
    await writer.close()
    const absent = keyValue(sqlite({ path: join(disk, 'no.db'), threads, readOnly: true }))
    await expect(absent.get('a')).rejects.toMatchObject({ code: 'NOT_PREPARED' })
    expect(await readdir(dirname(path))).not.toContain('no.db')
    // A link there to a file elsewhere, whose log is beside the file.
    const [elsewhere, link] = [await newPath(), join(disk, 'link.db')]
    await symlink(elsewhere, link)
    await using open = keyValue(sqlite({ path: elsewhere }), [text()])
    await open.set('a', 'in the log')
    spawnSync('mount', ['--bind', disk, disk])
    const mounted = spawnSync('mount', ['-o', 'remount,bind,ro', disk])
    skip(mounted.status !== 0, 'nothing can be mounted here')
    const kv = keyValue(sqlite({ path, threads, readOnly: true }), [text()])
    const linked = keyValue(sqlite({ path: link, threads, readOnly: true }), [text()])
    const linkedWriter = keyValue(sqlite({ path: link, threads }), [text()])
    try {
      expect(await linked.get('a')).toBe('in the log')
      await linkedWriter.set('a', 'by the link')
      expect(await linked.get('a')).toBe('by the link')
      expect(await kv.get('a')).toBe('2')
      expect(await kv.count()).toBe(1)
      await expect(kv.set('a', '3')).rejects.toMatchObject(denied)
    } finally {
      await Promise.all([kv, linked, linkedWriter].map((each) => each.close()))
      spawnSync('umount', ['-l', disk])
    }
  })
}

test('as many calls may wait, and as many items may be in one, as with other stores', async () => {
  const store = sqlite({ path: await newPath(), durability: 'buffered' })
  await using kv = keyValue(store, [text()], { timeoutMs: 600_000 })
  await kv.setMany(Array.from({ length: 20_000 }, (_, i) => [`many ${i}`, 'x'] as const))
  await Promise.all(Array.from({ length: 12_000 }, (_, i) => kv.set(`single ${i}`, 'x')))
  expect(await kv.count()).toBe(32_000)
})
