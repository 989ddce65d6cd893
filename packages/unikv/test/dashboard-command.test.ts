import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { benchRun, inProcess, root } from './command-line.ts'

/** Show these places, do this with the address and the token, and end it as Ctrl-C does. */
async function shown(args: readonly string[], look: (url: string, token: string) => Promise<void>) {
  let used: Promise<void> | undefined
  const outcome = await inProcess(['dashboard', ...args, '--port', '0'], (told, interrupt) => {
    const [, url, token] = /^ {2}(http:\S+)#token=(\S+)$/m.exec(told) ?? []
    if (url !== undefined && token !== undefined) used ??= look(url, token).finally(interrupt)
  })
  await used
  expect([outcome.code, used === undefined]).toEqual([0, false])
}

test('a page over a store by its URL, opened by the address that is printed', async () => {
  await shown(['notes=memory:', '--as', 'json'], async (url, token) => {
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="page">')])
    const headers = { authorization: `Bearer ${token}` }
    const overview = await (await fetch(`${url}api/overview`, { headers })).json()
    const notes = { name: 'notes', adapter: 'memory', layers: ['json'] }
    expect(overview).toMatchObject({ mayChange: false, stores: [notes] })
    expect((await fetch(`${url}api/overview`)).status).toBe(401)
  })
})

test('results of benchmarks by their folder: each alone, and several on one page', async () => {
  for (const name of ['first', 'second']) await benchRun('--store', 'memory:', '--out', `results/${name}`)
  await shown(['results'], async (url, token) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const list = (await (await fetch(`${url}api/reports`, { headers })).json()) as { name: string }[]
    expect(list.map(({ name }) => name).toSorted()).toEqual(['results/first', 'results/second'])
    const page = async (...names: readonly string[]) => {
      const init = { method: 'POST', headers, body: JSON.stringify({ names }) }
      const { path } = (await (await fetch(`${url}api/reports`, init)).json()) as { path: string }
      return (await fetch(url + path)).text()
    }
    const own = await readFile(join(root, 'results/first/report.html'), 'utf8')
    expect(await page('results/first')).toBe(own)
    expect(await page('results/first', 'results/second')).toContain('memory results/second')
    expect(await page('results/../../etc')).not.toContain('<!doctype')
    // A folder that was made elsewhere shows no other file of this machine.
    await writeFile(join(root, 'secret'), 'a secret of this machine')
    await rm(join(root, 'results/second/report.html'))
    await symlink(join(root, 'secret'), join(root, 'results/second/report.html'))
    await mkdir(join(root, 'results/third'))
    await symlink(join(root, 'secret'), join(root, 'results/third/result.json'))
    for (const name of ['results/second', 'results/third']) expect(await page(name)).not.toContain('a secret')
  })
})

test.each([
  [['lmdb:./nothing-there'], 'There is no store'],
  [['users'], "'users' is neither the URL of a store"],
  [['a=memory:', 'a=memory:'], "Two stores are named 'a'. Write NAME=URL."],
  [['memory:', '--config', 'x.json'], 'Choose URLs of stores or --config, not both.'],
])('%j is refused, and makes nothing', async (args, message) => {
  const { code, err } = await inProcess(['dashboard', '--port', '0', ...args])
  expect([code, err.startsWith('unikv: '), err.includes(message)]).toEqual([2, true, true])
})
