import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultHistory } from '@unikv/dashboard'
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

test('results over time, with the result from which on a figure has another level', async () => {
  await benchRun('--store', 'memory:', '--out', 'history/first')
  const first = JSON.parse(await readFile(join(root, 'history/first/result.json'), 'utf8'))
  for (let day = 1; day < 20; day++) {
    const folder = join(root, 'history', `day-${day}`)
    await mkdir(folder)
    // From the twelfth on runs take twice as long. A little scatter, as of a machine.
    const slower = (day < 11 ? 1 : 2) * (1 + (day % 3) / 200)
    const targets = first.targets.map((target: { readonly runs: readonly object[] }) => ({
      ...target,
      runs: target.runs.map((run) => scaled(run, slower)),
    }))
    const startedAt = new Date(Date.parse(first.startedAt) + day * 86_400_000).toISOString()
    const result = {
      ...first,
      startedAt,
      runId: first.runId.slice(0, -2) + String(day).padStart(2, '0'),
      targets,
    }
    await writeFile(join(folder, 'result.json'), JSON.stringify(result))
  }
  await shown(['history'], async (url, token) => {
    const headers = { authorization: `Bearer ${token}` }
    const ask = (study: string) => fetch(`${url}api/reports/history?study=${study}`, { headers })
    const history = (await (await ask('run')).json()) as ResultHistory
    expect(history.results).toHaveLength(20)
    const rate = history.figures.find(({ changes }) => changes.length === 1)
    expect(rate).toMatchObject({ verdict: 'changed', changes: [{ at: 11, verdict: 'slower' }] })
    expect(history.results[11]?.name).toBe('history/day-11')
    expect(rate?.values).toHaveLength(20)
    expect(history.findings.join(' ')).toContain('From history/day-11')
    expect((await ask('sizes')).status).toBe(400)
    expect((await ask('nothing')).status).toBe(400)
  })
})

/** A run that took so many times as long. */
function scaled(run: object, times: number): object {
  const longer = Object.entries(run).map(([name, value]) => [
    name,
    name.endsWith('dMs') ? value * times : value,
  ])
  return Object.fromEntries(longer)
}

test.each([
  [['lmdb:./nothing-there'], 'There is no store'],
  [['users'], "'users' is neither the URL of a store"],
  [['a=memory:', 'a=memory:'], "Two stores are named 'a'. Write NAME=URL."],
  [['memory:', '--config', 'x.json'], 'Choose URLs of stores or --config, not both.'],
])('%j is refused, and makes nothing', async (args, message) => {
  const { code, err } = await inProcess(['dashboard', '--port', '0', ...args])
  expect([code, err.startsWith('unikv: '), err.includes(message)]).toEqual([2, true, true])
})
