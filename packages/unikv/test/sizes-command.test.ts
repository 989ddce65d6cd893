import { spawn } from 'node:child_process'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { parseResult } from '@unikv/bench/report'
import { loadStudy } from '@unikv/bench/studies'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import { longTest } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { inProcess, main, quick, root, typed, unikv } from './command-line.ts'

const sizes = await loadStudy('sizes')

describe('unikv bench sizes', () => {
  test('measures a store and writes the whole result folder', async () => {
    const args = typed('--store file:./d --cache memory --compression gzip --encryption aes-128-gcm --out r')
    const { code, out, err } = await inProcess(['bench', 'sizes', ...args, ...quick])
    // A log has sentences of progress, and nothing else.
    expect([code, err.split('\n').filter((line) => line !== '' && !line.endsWith('.'))]).toEqual([0, []])
    expect(out).toContain('read, one call at a time\nsize ')
    expect(out).toContain('repeat: npx unikv bench sizes --store file:./d --cache memory --compression gzip')
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(out.trimEnd().split('\n').at(-1)).toBe(`Report: ${join('r', 'report.html')}`)
    const files = await readdir(join(root, 'r'))
    for (const name of [
      'result.json',
      'report.html',
      'plots.gp',
      'rows.csv',
      'rows.json',
      'read-latency.dat',
      'write-latency-parallel.csv',
      'cache-file-memory.dat',
      'cache-file-memory-paper.dat',
      'cache-file-memory-freeze.dat',
      'encryption.dat',
      'compression.dat',
    ]) {
      expect(files).toContain(name)
    }
    const result = parseResult(sizes, await readFile(join(root, 'r', 'result.json'), 'utf8'))
    expect(result).toMatchObject({
      status: 'complete',
      config: { seed: 42, runs: 1 },
      stores: [{ name: 'file', url: 'file:./d' }],
    })
    expect(result.versions['unikv']).toMatch(/^\d/)
    const left = keyValue(open(`file:${root}/d?dataset=unikv_bench`))
    for await (const key of left.keys()) throw new Error(`left behind: ${key}`)
    await left.close()
  })

  test('draws the figures of a paper without a server, and tells before the run which ones it cannot', async () => {
    const settings = ['--preset', 'iyengar', '--operations', '5', '--runs', '1', '--out', 'paper']
    const { code, out, err } = await inProcess(['bench', 'sizes', ...settings, '--sizes', '1K'])
    expect(code).toBe(0)
    expect(err).toMatch(
      /^unikv: Not drawn: Fig\. 11 and 12 of the paper\. No store stands for Cloud Store 1\./,
    )
    expect(out).toContain('\nFig. 15: read sqlite behind memory: ')
    const { config, stores, caches } = parseResult(
      sizes,
      await readFile(join(root, 'paper', 'result.json'), 'utf8'),
    )
    expect(config).toMatchObject({
      preset: 'iyengar',
      parallel: 1,
      encryption: ['aes-128-gcm'],
      sizes: [1_000],
    })
    expect([stores.map(({ url }) => url), caches.map(({ name }) => name)]).toEqual([
      ['file:./unikv-iyengar', 'sqlite:./unikv-iyengar.db'],
      ['memory'],
    ])
    expect(stores[1]?.server).toEqual({ version: expect.stringMatching(/^3\./) })
    const drawings = (await readdir(join(root, 'paper'))).filter((name) => /^figure-\d+\.svg$/.test(name))
    expect(drawings.toSorted()).toEqual([10, 15, 17, 20, 21, 9].map((number) => `figure-${number}.svg`))
  })

  test('takes the user’s own files, whole or cut', async () => {
    await mkdir(join(root, 'mine'))
    for (const size of [50, 300, 2_000]) await writeFile(join(root, 'mine', `${size}.txt`), 'x'.repeat(size))
    const cut = await inProcess([...typed('bench sizes --store lmdb:./l --data mine --out cut'), ...quick])
    expect(cut.code).toBe(0)
    expect(cut.out).toContain('read lmdb behind memory: extrapolated')
    const whole = await inProcess([
      ...typed('bench sizes --store lmdb:./l --cache none --data mine'),
      ...quick.with(1, 'files'),
      '--out',
      'whole',
    ])
    expect(whole.code).toBe(0)
    expect(whole.out).not.toContain(' behind ')
    const table = await readFile(join(root, 'whole', 'read-latency.dat'), 'utf8')
    expect(
      table.split('\n').flatMap((line) => (/^\d/.test(line) ? [Number(line.split('\t')[0])] : [])),
    ).toEqual([50, 300, 2_000])
  })

  test('interrupted by Ctrl-C, keeps its finished points, removes its namespace and exits with 130', async () => {
    const args = typed(
      '--store file:./i --out i-out --progress json --sizes 100,1K --runs 200 --operations 5',
    )
    let isSent = false
    const { code, out, err } = await unikv(['bench', 'sizes', ...args], (text, signal) => {
      if (isSent || !text.includes('"run":1,"point":1')) return
      isSent = true
      signal('SIGINT')
    })
    expect([code, err.includes('Interrupted: the results hold the measurements finished so far.')]).toEqual([
      130,
      true,
    ])
    expect(out).toContain('Report:')
    const result = parseResult(sizes, await readFile(join(root, 'i-out', 'result.json'), 'utf8'))
    expect(result.status).toBe('interrupted')
    expect(new Set(result.rows.map(({ dimensions }) => dimensions['size'])).size).toBe(2)
    const left = keyValue(open(`file:${root}/i?dataset=unikv_bench`))
    expect(await left.namespace('unikv.bench').count()).toBe(0)
    await left.close()
  })

  test('interrupted before anything was measured, writes nothing and exits with 130', async () => {
    let isSent = false
    const { code, err } = await inProcess(
      ['bench', 'sizes', '--store', 'file:./j', '--out', 'j-out', '--progress', 'json'],
      (text, interrupt) => {
        if (isSent || !text.includes('"started"')) return
        isSent = true
        interrupt()
      },
    )
    expect([code, err.includes('no results were written')]).toEqual([130, true])
    expect(existsSync(join(root, 'j-out'))).toBe(false)
  })

  test('interrupted, tells of a store that could not be cleaned up', async () => {
    const folder = join(root, 'gone')
    let isSent = false
    const { code, err } = await inProcess(
      ['bench', 'sizes', '--store', 'file:./gone', '--out', 'gone-out', '--progress', 'json'],
      (text, interrupt) => {
        if (isSent || !text.includes('"started"')) return
        isSent = true
        // At once: it goes on writing.
        renameSync(folder, `${folder}-away`)
        writeFileSync(folder, 'no folder any more')
        interrupt()
      },
    )
    expect(code).toBeGreaterThan(0)
    expect(err).toContain('The data that this run wrote to file could not be removed')
  })

  test.each(['--json', '--markdown'])(
    'prints %s on request, and no progress if that is not wanted',
    async (format) => {
      const args = ['--store', 'memory:', '--out', `as${format}`, '--quiet', format]
      const { code, out, err } = await inProcess(['bench', 'sizes', ...args, ...quick])
      expect([code, err]).toEqual([0, ''])
      if (format === '--json') expect(parseResult(sizes, out).status).toBe('complete')
      else expect(out).toMatch(/^# unikv bench sizes: memory\n[^]*\| size \| store \| median \|/)
    },
  )

  longTest(
    'keeps its results where the folder cannot be written in the end, and prints them first',
    async () => {
      const temporary = join(root, 'tmp')
      await mkdir(temporary)
      const args = ['--store', 'file:./dd', '--progress', 'json', '--out', 'lost', ...quick]
      let isTaken = false
      const { code, out, err } = await unikv(
        ['bench', 'sizes', ...args],
        (text) => {
          if (isTaken || !text.includes('"cell"')) return
          isTaken = true
          writeFileSync(join(root, 'lost'), 'a file by now')
        },
        { TMPDIR: temporary },
      )
      expect([code, out.includes('read, one call at a time')]).toEqual([1, true])
      const [folder] = await readdir(temporary)
      expect(err).toContain(
        `could not be written to lost (ENOTDIR). They are in ${join(temporary, folder!)}.`,
      )
      const kept = await readFile(join(temporary, folder!, 'result.json'), 'utf8')
      expect(parseResult(sizes, kept).status).toBe('complete')
    },
  )

  longTest('goes on to its end if nobody reads what it says, and leaves nothing in the store', async () => {
    const child = spawn(
      process.execPath,
      [main, 'bench', 'sizes', '--store', 'file:./p', '--out', 'p-out', ...quick],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    child.stdout.destroy()
    child.stderr.once('data', () => child.stderr.destroy())
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    const result = parseResult(sizes, await readFile(join(root, 'p-out', 'result.json'), 'utf8'))
    expect(result.status).toBe('complete')
    const left = keyValue(open(`file:${root}/p?dataset=unikv_bench`))
    expect(await left.namespace('unikv.bench').count()).toBe(0)
    await left.close()
  })

  longTest('has its folder to itself; killed, leaves a namespace that the next run removes', async () => {
    const args = ['bench', 'sizes', '--store', 'file:./k', '--out', 'k-out', '--progress', 'json', ...quick]
    let second: ReturnType<typeof unikv> | undefined
    await unikv(args, (text, signal) => {
      if (second !== undefined || !text.includes('"cell"')) return
      signal('SIGSTOP')
      second = unikv(args)
      void second.finally(() => signal('SIGKILL'))
    })
    expect(await second).toMatchObject({
      code: 2,
      err: expect.stringContaining('writes its results to k-out'),
    })
    expect(existsSync(join(root, 'k-out'))).toBe(false)
    const { code, err } = await unikv(args)
    expect([code, err.includes('"type":"leftovers-removed","target":"file"')]).toEqual([0, true])
  })

  test('exits with 1 if a store cannot be reached, naming its address without the password', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) =>
      server.listen(0, () => resolve((server.address() as { port: number }).port)),
    )
    await new Promise((resolve) => server.close(resolve))
    const { code, err } = await inProcess([
      ...typed(`bench sizes --store redis://u:s3cret@127.0.0.1:${port}`),
      ...quick,
    ])
    expect([code, err.trim().split('\n').length]).toEqual([1, 1])
    expect(err).toContain(`127.0.0.1:${port}`)
    expect(err).not.toContain('s3cret')
  })
})
