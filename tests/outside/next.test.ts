import { beforeAll, expect, test } from 'vitest'
import { NextApplication } from './next-application.ts'

const application = new NextApplication()
beforeAll(() => application.start(['next', '']), 900_000)

const tagged = [
  ['/fetched', 'fetched'],
  ['/cached', 'cached'],
  ['/live', 'live'],
  ['/feed', 'feed'],
  ['/items/1', 'items'],
] as const
const paths = [...tagged.map(([path]) => path), '/legacy']

test.each(paths)('both processes show the same: %s', async (path) => {
  await application.agreed(path)
})

test.each(tagged)(
  'a tag is revalidated in one process, the other one shows a new one: %s',
  async (path, tag) => {
    const before = await application.agreed(path)
    await application.revalidate(0, { tag })
    const after = await application.changed(1, path, before)
    expect(await application.agreed(path)).toBe(after)
  },
)

test.each(tagged)('with a profile the old one is shown until the new one is there: %s', async (path, tag) => {
  const before = await application.agreed(path)
  await application.revalidate(1, { tag, profile: 'max' })
  expect(await application.shown(0, path)).toBe(before)
  await application.changed(0, path, before)
  await application.settled(path)
})

test.each(['/fetched', '/cached', '/live', '/items/1'])('a path is revalidated: %s', async (path) => {
  const before = await application.agreed(path)
  await application.revalidate(1, { path })
  expect(await application.changed(0, path, before)).toBe(await application.agreed(path))
})

test('a process that starts shows what the others show', async () => {
  const agreed = () => Promise.all(paths.map((path) => application.agreed(path)))
  const before = await agreed()
  await application.servers[0]?.stop()
  application.servers[0] = await application.serve()
  expect(await agreed()).toEqual(before)
})

test('without the store each request is answered anew, and the failures are told', async () => {
  const before = application.answers
  await application.redis.kill()
  for (const path of paths) expect(await application.shown(0, path)).toMatch(/^answer/)
  expect(application.answers).toBeGreaterThanOrEqual(before + paths.length)
  expect(application.servers[0]?.output()).toContain('UNAVAILABLE')
  await application.redis.restart()
  await application.settled('/live')
})
