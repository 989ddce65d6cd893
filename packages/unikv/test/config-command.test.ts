import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { inProcess, root } from './command-line.ts'

const suite = `<jobSuite>
  <foreach name="scale">
    <s><w>1</w><u>10000</u></s>
    <s><w>2</w><u>20000</u></s>
    <s><w>4</w><u>40000</u></s>
  </foreach>
  <foreach name="server" sep=" " >5 10</foreach>
  <job>
    <workerNum ref="scale/w"/>
    <serverNum ref="server"/>
    <userNum ref="scale/u"/>
  </job>
</jobSuite>`

beforeAll(() => {
  mkdirSync(join(root, 'templates'))
  const files = {
    'fig7.xml': suite,
    'one.yaml': 'kind: mem\nopts: { ttl: 60, list: [1, 2] }',
    'base.xml': '<b><kind>file</kind><more>1</more></b>',
    'over.xml': '<o extends="lib:jobs:job#part"><x>9</x></o>',
    'templates/job.xml': '<j><part><x>1</x><y>2</y></part></j>',
    'env.xml': '<e><home extends="sys:env:UNIKV_TEST_HOME"/></e>',
    'bad.xml': '<a>\n<b ref="nope"/></a>',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
})

const unfolded = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await inProcess(['config', 'unfold', ...args])
  expect([code, err]).toEqual([0, ''])
  return out
}

describe('unikv config unfold', () => {
  const job = (workerNum: string, serverNum: string): object => ({
    workerNum,
    serverNum,
    userNum: `${workerNum}0000`,
  })
  const jobs = async (...args: readonly string[]): Promise<readonly object[]> => {
    const lines = (await unfolded('fig7.xml', '-f', 'json', ...args)).trimEnd().split('\n')
    return lines.map((line) => (JSON.parse(line) as { job: object }).job)
  }

  test('prints a line of JSON for each document', async () => {
    const lines = (await unfolded('fig7.xml', '-f', 'json')).trimEnd().split('\n')
    expect(lines).toHaveLength(6)
    expect(lines[0]).toBe(
      '{"scale":{"w":"1","u":"10000"},"server":"5","job":{"workerNum":"1","serverNum":"5","userNum":"10000"}}',
    )
  })

  test('-i chooses documents, and -p a part of each', async () => {
    expect(await jobs('-i', '1,3')).toEqual([job('1', '10'), job('2', '10')])
    expect(await jobs('-i', '1..3')).toEqual([job('1', '10'), job('2', '5'), job('2', '10')])
    expect(await jobs('--index', '5')).toEqual([job('4', '10')])
    expect(await unfolded('fig7.xml', '-f', 'json', '-i', '0', '-p', 'job')).toBe(
      '{"workerNum":"1","serverNum":"5","userNum":"10000"}\n',
    )
    expect(await unfolded('fig7.xml', '-f', 'json', '-i', '0', '-p', 'job/userNum')).toBe('"10000"\n')
  })

  test('writes XML by default, and YAML and properties', async () => {
    expect(await unfolded('fig7.xml', '-i', '0', '-p', 'job')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<job>\n  <workerNum>1</workerNum>\n  <serverNum>5</serverNum>\n  <userNum>10000</userNum>\n</job>\n',
    )
    expect(await unfolded('fig7.xml', '-i', '0,1', '-p', 'scale', '-f', 'yaml')).toBe(
      'w: "1"\nu: "10000"\n---\nw: "1"\nu: "10000"\n',
    )
    expect(await unfolded('one.yaml', '-f', 'properties')).toBe(
      '# document 0\nkind=mem\nopts.ttl=60\nopts.list.0=1\nopts.list.1=2\n',
    )
  })

  test('-b is below a document, and -L names a library', async () => {
    expect(await unfolded('one.yaml', '-b', 'base.xml', '-f', 'json')).toBe(
      '{"kind":"mem","more":"1","opts":{"ttl":60,"list":[1,2]}}\n',
    )
    expect(await unfolded('over.xml', '-L', 'jobs=templates', '-f', 'json')).toBe('{"x":"9","y":"2"}\n')
  })

  test('--extends-only prints a document that needs no other file', async () => {
    expect(await unfolded('over.xml', '-L', 'jobs=templates', '--extends-only')).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<o>\n  <x>9</x>\n  <y>2</y>\n</o>\n',
    )
    writeFileSync(join(root, 'alone.yaml'), await unfolded('fig7.xml', '--extends-only', '-f', 'yaml'))
    expect(await unfolded('alone.yaml', '-f', 'json')).toBe(await unfolded('fig7.xml', '-f', 'json'))
  })

  test('-o writes a file for each document, and replaces none', async () => {
    expect(await unfolded('fig7.xml', '-o', 'documents/of-7', '-f', 'yaml', '-i', '4,5', '-p', 'job')).toBe(
      '',
    )
    expect(readdirSync(join(root, 'documents/of-7'))).toEqual(['fig7-4.yaml', 'fig7-5.yaml'])
    expect(readFileSync(join(root, 'documents/of-7/fig7-5.yaml'), 'utf8')).toBe(
      'workerNum: "4"\nserverNum: "10"\nuserNum: "40000"\n',
    )
    const again = await inProcess(['config', 'unfold', 'fig7.xml', '-o', 'documents/of-7', '-f', 'yaml'])
    expect([again.code, again.err]).toEqual([
      2,
      'unikv: documents/of-7/fig7-4.yaml is there already. Choose another folder, or remove it.\n',
    ])
    expect(readdirSync(join(root, 'documents/of-7'))).toHaveLength(2)
  })

  test('variables and folders are read if they are allowed', async () => {
    vi.stubEnv('UNIKV_TEST_HOME', 'there')
    onTestFinished(() => void vi.unstubAllEnvs())
    const refused = await inProcess(['config', 'unfold', 'env.xml'])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('UNIKV_TEST_HOME of the environment may not be read'),
    ])
    expect(await unfolded('env.xml', '--allow-env', 'UNIKV_TEST_HOME', '-f', 'json')).toBe(
      '{"home":"there"}\n',
    )
    writeFileSync(join(root, 'templates/up.xml'), '<u extends="../base"/>')
    const up = await inProcess(['config', 'unfold', 'templates/up.xml'])
    expect([up.code, up.err]).toEqual([
      2,
      expect.stringContaining("templates/up.xml:1, u: extends: '../base' leads out of the folders"),
    ])
    expect(await unfolded('templates/up.xml', '--allow-folder', '.', '-f', 'json')).toBe(
      '{"kind":"file","more":"1"}\n',
    )
  })

  test.each([
    [['nowhere.xml'], 'unikv: nowhere.xml: there is no such file.\n'],
    [
      ['bad.xml'],
      'unikv: bad.xml:2, a/b: ref="nope" of <b> leads to no element, neither beside it nor above.\n',
    ],
    [['fig7.xml', '-i', '6'], 'unikv: fig7.xml unfolds into 6 documents, with the indexes 0 to 5; got 6.\n'],
    [['fig7.xml', '-i', '1-2'], "unikv: -i: '1-2' must be a list of indexes, such as 1, 0,3 or 2..4.\n"],
    [['fig7.xml', '-i', '3..1'], "unikv: -i: '3..1' has an empty range: 3..1.\n"],
    [['fig7.xml', '-i', '0..99999'], 'names more than 10000 documents'],
    [['fig7.xml', '-i', ''], 'must be a list of indexes'],
    [['fig7.xml', '-p', 'jobs'], "unikv: -p: there is no element 'jobs' in document 0 (fig7.xml:1).\n"],
    [['fig7.xml', '-p', 'job//x'], 'A path must be tags with / between them'],
    [['fig7.xml', '-f', 'toml'], 'Allowed choices are xml, json, yaml, properties.'],
    [['fig7.xml', '-L', 'jobs'], "unikv: -L: 'jobs' must be NAME=FOLDER, such as jobs=./templates.\n"],
    [['fig7.xml', '-L', 'a=b', '-L', 'a=c'], 'unikv: -L: the library a was given twice.\n'],
    [['fig7.xml', '-f', 'json', '-f', 'xml'], 'was given twice'],
    [
      ['fig7.xml', '--extends-only', '-i', '1'],
      'unikv: -i is for unfolded documents, not for --extends-only.\n',
    ],
    [['fig7.xml', '--extends-only', '-f', 'properties'], 'Choose xml, yaml or json.'],
    [['fig7.xml', '-o', '/dev/null/x'], 'unikv: /dev/null/x cannot be used for the documents (ENOTDIR).\n'],
    [['fig7.xml', '-o', '/proc/x'], 'unikv: /proc/x cannot be used for the documents (ENOENT).\n'],
    [['fig7.xml', '-o', 'base.xml'], 'unikv: base.xml cannot be used for the documents (ENOTDIR).\n'],
    [['fig7.xml', 'base.xml'], 'too many arguments'],
    [[], "missing required argument 'file'"],
  ])('%j exits with 2 and says why', async (args, says) => {
    const { code, out, err } = await inProcess(['config', 'unfold', ...args])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(says)
    expect(err).not.toMatch(/\n\s+at /)
  })

  test('without a command, config says which there are', async () => {
    const { code, err } = await inProcess(['config'])
    expect([code, err]).toEqual([2, expect.stringContaining('unfold')])
  })

  test('its help has examples, and each runs', async () => {
    const { code, out } = await inProcess(['config', 'unfold', '--help'])
    expect(code).toBe(0)
    const commands = [...out.matchAll(/\$ npx unikv (.*)/g)].map(([, line = '']) => line.split(' '))
    expect(commands).toHaveLength(4)
    writeFileSync(join(root, 'suite.xml'), suite)
    for (const command of commands) {
      const { code: ended, err } = await inProcess(command)
      expect(ended, err).toBe(0)
    }
    expect(existsSync(join(root, 'documents/suite-0.xml'))).toBe(true)
  })
})
