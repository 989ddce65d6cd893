import { readdirSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toJson, unfold } from '@unikv/config'
import { expect, test } from 'vitest'
import { commandsOfGuide, inProcess, root } from './command-line.ts'

const jobs = fileURLToPath(new URL('../../../examples/jobs', import.meta.url))

/** A short suite: two numbers of callers over memory, with a log of its commands. */
const suite = (start: string): string => `
<jobSuite>
  <foreach name="threads" sep=" ">2 4</foreach>
  <job>
    <name>short</name>
    <threads ref="threads"/>
    <database><url>memory:</url><start>${start}</start><stop>echo stop >> log</stop></database>
    <workload>
      <session>
        <benchmark>auction</benchmark>
        <numOfThreads ref="threads"/>
        <parameters><USER_NUM>5</USER_NUM></parameters>
      </session>
      <measure><rampUp>0s</rampUp><duration>200ms</duration><runs>1</runs></measure>
    </workload>
  </job>
</jobSuite>`

async function written(name: string, text: string): Promise<string> {
  await writeFile(join(root, name), text)
  return name
}

test('a suite runs its jobs, each with its servers and its document, and goes on where it stopped', async () => {
  const file = await written('suite.xml', suite('cat >> log; echo >> log'))
  const { code, out, err } = await inProcess(['bench', 'session', file, '--out', 'suite', '--quiet'])
  expect(code, err).toBe(0)
  expect(out).toMatch(/1-short +2 +[^]*2-short +4 +/)
  expect(await readFile(join(root, 'log'), 'utf8')).toBe('{"threads":"2"}\nstop\n{"threads":"4"}\nstop\n')
  expect(await readFile(join(root, 'suite/2-short/document.xml'), 'utf8')).toContain('<threads>4</threads>')
  expect(await readFile(join(root, 'suite/report.html'), 'utf8')).toContain('1-short')

  const before = await stat(join(root, 'suite/1-short/result.json'))
  const again = await inProcess(['bench', 'session', file, '--out', 'suite', '--quiet'])
  expect(again.err).toContain('1-short: measured already')
  expect((await stat(join(root, 'suite/1-short/result.json'))).mtimeMs).toBe(before.mtimeMs)
})

test('neither the jobs of a dry run nor a result have the passwords of URLs', async () => {
  const job = suite(`echo 'redis://u:it&lt;s-pw@h' &amp;&amp; echo '&lt;'`)
    .replace('2 4', '2')
    .replace('<name>short</name>', '<server ref="server"/><note>redis://u:pw@h is &lt; 1</note>')
    .replace('<job>', '<foreach name="server" sep=" ">redis://u:pw@h1 redis://u:pw@h2</foreach><job>')
  const file = await written('secret.xml', job)
  const dry = await inProcess(['bench', 'session', file, '--dry-run'])
  expect(dry.out).toMatch(/1-auction +redis:\/\/h1 +/)
  expect(dry.out).not.toContain('pw')
  const { code, out, err } = await inProcess(['bench', 'session', file, '--out', 'secret', '--quiet'])
  expect(code, err).toBe(0)
  expect(out + err).not.toContain('pw')
  for (const name of ['document.xml', 'result.json', 'report.html'])
    expect(await readFile(join(root, 'secret/1-auction', name), 'utf8')).not.toContain('pw')
  const [document] = await unfold(join(root, 'secret/1-auction/document.xml'))
  expect(toJson(document!.at('note')!)).toBe('redis://h is < 1')
  expect(toJson(document!.at('database/start')!)).toBe("echo 'redis://h' && echo '<'")
})

test('a job whose servers do not start leaves the others, and the command fails', async () => {
  const file = await written('failing.xml', suite("grep -q 4 || { echo 'no port'; exit 7; }"))
  const { code, out, err } = await inProcess(['bench', 'session', file, '--out', 'failing', '--quiet'])
  expect(code).toBe(1)
  expect(err).toContain('1-short: The command that should start the servers failed with exit code 7')
  expect(err).toContain('It printed: no port')
  expect(out).toMatch(/2-short +/)
})

test('a document that is wrong is refused by its place before anything is started', async () => {
  const file = await written(
    'wrong.xml',
    suite('touch started').replace('<rampUp>', '<rampup>1</rampup><rampUp>'),
  )
  const { code, err } = await inProcess(['bench', 'session', file])
  expect(code).toBe(2)
  expect(err).toContain(
    "wrong.xml:14, document 0, workload.measure: there is no 'rampup' here. Did you mean 'rampUp'?",
  )
})

/** The last job of a suite tells how many there are. */
const lastJobs: readonly (readonly [name: string, line: RegExp])[] = [
  ['figure-7.xml', /6-auction +4 +10 +40000 +hbase +auction/],
  ['figure-9.xml', /4-mariadb +sql +mysql +micro +sql +64/],
  ['figure-11-locks.xml', /18-mariadb[^]*18-mariadb +micro +entities +64/],
  ['figure-13.xml', /4-mariadb +sql +batch +mysql +auction +sql +4/],
]

test('the suites and templates of the examples unfold, each into its number of jobs', async () => {
  const places = { HBASE: 'hbase://h', REDIS: 'redis://h', POSTGRES: 'postgres://h', MARIADB: 'mysql://h/d' }
  Object.assign(process.env, places, { MONGODB: 'mongodb://h', CASSANDRA: 'cassandra://h/k?datacenter=d' })
  for (const name of readdirSync(jobs).filter((one) => /^(figure|auction-|elasticity|own-)/.test(one))) {
    const { code, out, err } = await inProcess(['bench', 'session', join(jobs, name), '--dry-run'])
    expect(code, `${name}: ${err}`).toBe(0)
    const [, last] = lastJobs.find(([suiteName]) => suiteName === name) ?? []
    if (last !== undefined) expect(out).toMatch(last)
  }
})

test('a plan says how much a load writes, as its time depends on the store', async () => {
  const load =
    '<database><url>memory:</url></database><workload><load><records>20000</records></load></workload>'
  const file = await written('load.xml', `<job>${load}</job>`)
  const { code, out, err } = await inProcess(['bench', 'session', file, '--dry-run'])
  expect(code, err).toBe(0)
  expect(out.replaceAll(/\s+/g, ' ')).toContain('until 60,000 records are written')
  expect(out).toContain('A load lasts until its records are written: that depends on the store.')
})

test('a suite of two jobs is refused, as one of them would be left out', async () => {
  const job = '<job><database><url>memory:</url></database></job>'
  const file = await written('two.xml', `<jobSuite>\n${job}\n${job}\n</jobSuite>`)
  const { code, err } = await inProcess(['bench', 'session', file, '--dry-run'])
  expect([code, err]).toEqual([2, expect.stringMatching(/two\.xml:3.*it is a second job: a suite has one/)])
})

test('the users of the guide are a job, and its transitions in XML are those of one', async () => {
  const guide = await readFile(new URL('../../../docs/guides/bench-session.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /^```yaml\n(# users.yaml\n[^]*?)^```$/m.exec(guide) ?? []
  const [, transitions = ''] = /^```xml\n(<Transitions>[^]*?)^```$/m.exec(guide) ?? []
  await written('users.yaml', yaml)
  const session = `<session><benchmark>micro</benchmark>${transitions}</session>`
  const database = '<database><url>memory:</url></database>'
  await written('users.xml', `<job>${database}<workload>${session}</workload></job>`)
  for (const [file, shown] of [
    ['users.yaml', /^users-of-my-own +memory +micro +entities +200/m],
    ['users.xml', /^micro +memory +micro +entities +1/m],
  ] as const) {
    const { code, out, err } = await inProcess(['bench', 'session', file, '--dry-run'])
    expect(code, err).toBe(0)
    expect(out).toMatch(shown)
  }
})

test('the commands of the guide work in their order', async () => {
  const guide = await readFile(new URL('../../../docs/guides/bench-session.md', import.meta.url), 'utf8')
  const [, document = ''] = /^```yaml\n([^]*?)^```$/m.exec(guide) ?? []
  await written(
    'auction.yaml',
    document.replace('rampUp: 1s, duration: 5s, runs: 3', 'rampUp: 0s, duration: 100ms, runs: 1'),
  )
  // Workers have a test of their own.
  const commands = (await commandsOfGuide('bench-session')).filter((command) => !command.includes('worker'))
  for (const command of commands) {
    const { code, err } = await inProcess(command)
    expect(code, err).toBe(0)
  }
})
