import { readdirSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess, root, unikv } from './command-line.ts'

interface Own {
  readonly users?: number
  readonly url?: string
  readonly start?: string
  readonly lasts?: string
  readonly job?: string
}

/** Write a document of a short job over memory; its servers have a log. */
async function written(
  name: string,
  { users = 5, url = 'memory:', start = 'true', lasts = '20ms', job = '' }: Own = {},
) {
  const document = `<job><name>short</name>${job}
    <database><url>${url}</url><start>${start}</start><stop>echo stop >> ${name}.log</stop></database>
    <workload>
      <session><benchmark>auction</benchmark><parameters><USER_NUM>${users}</USER_NUM></parameters></session>
      <measure><rampUp>0s</rampUp><duration>${lasts}</duration><runs>1</runs></measure>
    </workload></job>`
  await writeFile(join(root, name), document)
  return ['bench', 'session', name, '--quiet', '--out', `${name}.d`]
}

const files = (name: string): string => join(root, `${name}.d/short`)
const startedAt = async (name: string): Promise<string> =>
  (JSON.parse(await readFile(join(files(name), 'result.json'), 'utf8')) as { startedAt: string }).startedAt

test('--again, a changed document and another store are measured anew, in the same folder', async () => {
  const command = await written('again.xml', { url: 'lmdb:${PLACE}' })
  process.env['PLACE'] = './place-1'
  const first = await inProcess(command)
  expect(first.code, first.err).toBe(0)
  const begun = [await startedAt('again.xml')]
  expect((await inProcess(command)).err).toContain('measured already')
  expect(await startedAt('again.xml')).toBe(begun[0])
  const again = [
    async () => inProcess([...command, '--again']),
    async () => inProcess(await written('again.xml', { url: 'lmdb:${PLACE}', users: 6 })),
    async () => {
      process.env['PLACE'] = './place-2'
      return inProcess(command)
    },
  ]
  for (const measure of again) {
    const { code, err } = await measure()
    expect(code, err).toBe(0)
    expect(err).not.toContain('measured already')
    begun.push(await startedAt('again.xml'))
  }
  expect(new Set(begun).size).toBe(4)
  const document = await readFile(join(files('again.xml'), 'document.xml'), 'utf8')
  expect(document).toContain('<USER_NUM>6</USER_NUM>')
  expect(document).toContain('<url>lmdb:${PLACE}</url>')
  const { config } = JSON.parse(await readFile(join(files('again.xml'), 'result.json'), 'utf8')) as {
    config: { document: string }
  }
  expect(config.document).toBe(document)
})

test('passwords of URLs are in no file and in no message, and commands get them', async () => {
  const job = `<link>redis://u:geheim@h:1/?a=1&amp;password=geheim</link>
    <events><event><at>10ms</at><command>grep -c u:gehei[m]@h; echo http://u:geheim@h</command></event></events>`
  const start = 'echo http://u:geheim@h; grep -q u:gehei[m]@h'
  const { code, out, err } = await inProcess(await written('secret.xml', { job, start, lasts: '1s' }))
  expect(code, err).toBe(0)
  const kept = await Promise.all(
    readdirSync(files('secret.xml')).map((name) => readFile(join(files('secret.xml'), name), 'utf8')),
  )
  expect([out, err, ...kept].filter((text) => text.includes('geheim'))).toEqual([])
  const { jobs } = JSON.parse(await readFile(join(files('secret.xml'), 'result.json'), 'utf8')) as {
    jobs: { runs: { events: { output: string }[] }[] }[]
  }
  expect(jobs[0]?.runs[0]?.events[0]?.output).toBe('1\nhttp://h')
  expect(await readFile(join(files('secret.xml'), 'document.xml'), 'utf8')).toContain(
    '<link>redis://h:1/</link>',
  )
})

test('Ctrl-C while servers start ends the command that starts them, and stops them', async () => {
  const command = await written('interrupted.xml', { start: 'echo begun; sleep 60' })
  let isSent = false
  const { code, err } = await inProcess(command, (text, interrupt) => {
    if (isSent || !text.includes('start servers')) return
    isSent = true
    interrupt()
  })
  expect(code, err).toBe(130)
  expect(await readFile(join(root, 'interrupted.xml.log'), 'utf8')).toBe('stop\n')
  await expect(stat(files('interrupted.xml'))).rejects.toThrow('ENOENT')
})

test('a second command for the same folder is refused before it starts or stops servers', async () => {
  const command = await written('two.xml', { start: 'echo started >> two.xml.log; read line; sleep 1' })
  let second: ReturnType<typeof inProcess> | undefined
  const first = await unikv(command, (text) => {
    if (text.includes('start servers')) second ??= inProcess(command)
  })
  expect(first.code, first.err).toBe(0)
  expect((await second)?.code).toBe(2)
  expect((await second)?.err).toMatch(/Another run \(process \d+\) writes its results to two\.xml\.d/)
  expect(await readFile(join(root, 'two.xml.log'), 'utf8')).toBe('started\nstop\n')
})
