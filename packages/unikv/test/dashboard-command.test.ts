import { expect, test } from 'vitest'
import { inProcess } from './command-line.ts'

test('a page over a store by its URL, opened by the address that is printed', async () => {
  let used: Promise<void> | undefined
  const look = async (url: string, token: string) => {
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="page">')])
    const headers = { authorization: `Bearer ${token}` }
    const overview = await (await fetch(`${url}api/overview`, { headers })).json()
    expect(overview).toMatchObject({
      mayChange: false,
      stores: [{ name: 'notes', adapter: 'memory', layers: ['json'] }],
    })
    expect((await fetch(`${url}api/overview`)).status).toBe(401)
  }
  const { code } = await inProcess(
    ['dashboard', 'notes=memory:', '--as', 'json', '--port', '0'],
    (told, interrupt) => {
      const [, url, token] = /^ {2}(http:\S+)#token=(\S+)$/m.exec(told) ?? []
      if (url !== undefined && token !== undefined) used ??= look(url, token).finally(interrupt)
    },
  )
  await used
  expect([code, used === undefined]).toEqual([0, false])
})

test.each([
  [['lmdb:./nothing-there'], 'There is no store'],
  [['users'], "'users' is not the URL of a store"],
  [['a=memory:', 'a=memory:'], "Two stores are named 'a'. Write NAME=URL."],
  [['memory:', '--config', 'x.json'], 'Choose URLs of stores or --config, not both.'],
])('%j is refused, and makes nothing', async (args, message) => {
  const { code, err } = await inProcess(['dashboard', '--port', '0', ...args])
  expect([code, err.startsWith('unikv: '), err.includes(message)]).toEqual([2, true, true])
})
