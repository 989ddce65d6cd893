import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultOf } from '@unikv/bench/studies'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

/** Numbers of sessions; `npm run prove -- sessions-scale` has those of the paper, for their whole time. */
const sessions = process.env['UNIKV_SESSIONS'] ?? '60 120'
const isLong = process.env['UNIKV_SESSIONS'] !== undefined
const example = fileURLToPath(new URL('../../../examples/jobs/figure-12-scale.xml', import.meta.url))

describeWith('redis', (url) => {
  test('a suite of hundreds of thinking sessions, with the statistics of the server beside its throughput', async () => {
    const whole = (await readFile(example, 'utf8')).replace('200 400 800 1600 3200', sessions)
    const short = whole
      .replace('<share>0.25</share>', '<share>0.05</share>')
      .replace('<avg>4s</avg><max>20s</max>', '<avg>0.5s</avg><max>1s</max>')
      .replace(
        '<rampUp>10s</rampUp><duration>20s</duration><runs>2</runs>',
        '<rampUp>0s</rampUp><duration>2s</duration><runs>1</runs>',
      )
      .replace('<statistics>true</statistics>', '<statistics>true</statistics><every>500ms</every>')
    await writeFile(join(root, 'scale.xml'), isLong ? whole : short)
    process.env['REDIS'] = url
    const args = ['bench', 'session', 'scale.xml', '--out', 'scale', '--quiet']
    const { code, out, err } = await inProcess(args)
    // A run on a machine that is busy with others is invalid, and has its figures all the same.
    expect([0, 4], err).toContain(code)
    const told: string[] = []
    for (const [at, count] of sessions.split(' ').map(Number).entries()) {
      const text = await readFile(join(root, `scale/${at + 1}-auction/result.json`), 'utf8')
      const { config, jobs, targets } = JSON.parse(text) as ResultOf<'session'>
      const [run] = jobs[0]!.runs
      expect(config).toMatchObject({ sessions: count, threads: 2 })
      expect(run!.sessions.begun).toBeGreaterThanOrEqual(count)
      expect(targets[0]!.runs[0]).toMatchObject({ errors: 0 })
      expect(jobs[0]!.problems).toEqual([])
      told.push(...run!.monitors.flatMap(({ series }) => series.map(({ name }) => name)))
    }
    expect(told).toEqual(expect.arrayContaining(['server connections', 'server operations/s']))
    // The page of all jobs draws both over the sessions.
    expect(await readFile(join(root, 'scale/report.html'), 'utf8')).toContain(
      'id="suite-watched-server-operations-s"',
    )
    const counts = process.env['UNIKV_COUNTS']
    if (counts !== undefined) await appendFile(counts, out)
  })
})
