import { beforeAll, describe, expect, test } from 'vitest'
import { toJson, toText, unfold } from '../src/index.ts'
import { failure, folder, view, views, written } from './documents.ts'

// The documents of the facts about Strudel, and the figures of its paper.

beforeAll(() => {
  written({
    'base1.xml':
      '<store><kind>mem</kind><opts><ttl>60</ttl><max>100</max></opts><tag name="x">1</tag><tag name="y">2</tag></store>',
    'data.json': '{"p":{"x":1,"y":[1,2]},"s":"t"}',
  })
})

describe('one document', () => {
  const one: readonly [id: string, input: string, output: string][] = [
    [
      'e1',
      '<store extends="base1"><kind>file</kind><opts><ttl>5</ttl></opts><tag name="y">9</tag><extra>1</extra></store>',
      '{"kind":"file","opts":{"ttl":"5"},"x":"1","y":"9","extra":"1"}',
    ],
    [
      'e2',
      '<store extends="base1"><opts extends="."><ttl>5</ttl></opts></store>',
      '{"kind":"mem","opts":{"ttl":"5","max":"100"},"x":"1","y":"2"}',
    ],
    ['e4', '<opts extends="base1#opts"><max>7</max></opts>', '{"ttl":"60","max":"7"}'],
    ['j1', '<a extends="data"><s>u</s></a>', '{"p":{"x":1,"y":[1,2]},"s":"u"}'],
    [
      'r1',
      '<a><host>h1</host><b><host>h2</host><c ref="host"/></b><d ref="b/host"/><e ref="host"/></a>',
      '{"host":"h1","b":{"host":"h2","c":"h2"},"d":"h2","e":"h1"}',
    ],
    [
      'x1',
      `<a><host>db1</host><url exp="concat('')"><h>jdbc://</h><h ref="host"/><h>:</h><h>3306</h></url><sum type="number" exp="+"><v>1</v><v>2.50</v></sum><prod exp="*"><v>3</v><v>0.5</v></prod><dump exp="jsondump"><k>1</k><n type="number">2</n></dump></a>`,
      '{"host":"db1","url":"jdbc://db1:3306","sum":3.50,"prod":"1.5","dump":"{\\"k\\":\\"1\\",\\"n\\":2}"}',
    ],
    [
      'x3',
      '<a><b type="array"><e type="number">1</e></b><c><d>1</d><d>2</d></c><f/><g value="5"/><h type="bool">true</h><i k="v">t</i></a>',
      '{"b":[1],"c":["1","2"],"f":null,"g":"5","h":true,"i":{"k":"v"}}',
    ],
  ]

  test.each(one)('%s', async (id, input, output) => {
    const [document, another] = await unfold(written({ [`${id}.xml`]: input }))
    expect(another).toBe(undefined)
    // As text, so that the order of keys and the digits of numbers count.
    expect(toText(document!, 'json')).toBe(`${output}\n`)
    expect(toJson(document!)).toEqual(JSON.parse(output))
  })
})

describe('several documents', () => {
  test('f1: the first loop varies slowest', async () => {
    const found = await views({
      'f1.xml':
        '<job><foreach name="t" sep=" ">1 2</foreach><foreach name="s"><v><w>a</w><u>10</u></v><v><w>b</w><u>20</u></v></foreach><threads type="number" ref="t"/><user ref="s/u"/></job>',
    })
    expect(found).toHaveLength(4)
    expect(found[0]).toEqual({ t: '1', s: { w: 'a', u: '10' }, threads: 1, user: '10' })
    const pairs = (found as { t: string; s: { w: string } }[]).map(({ t, s }) => [t, s.w])
    expect(pairs).toEqual([
      ['1', 'a'],
      ['1', 'b'],
      ['2', 'a'],
      ['2', 'b'],
    ])
  })

  test('f2: a range holds both its ends', async () => {
    const found = await views({ 'f2.xml': '<job><foreach name="n" range="3..5"/><k>z</k></job>' })
    expect(found).toEqual([
      { n: '3', k: 'z' },
      { n: '4', k: 'z' },
      { n: '5', k: 'z' },
    ])
  })

  test('f4: empty parts at the end are dropped', async () => {
    const found = await views({
      'f4.xml': '<job><foreach name="t" sep=",">1, 2,</foreach><x ref="t"/></job>',
    })
    expect(found.map((one) => (one as { x: string }).x)).toEqual(['1', '2'])
  })
})

describe('errors', () => {
  test('r3: names element, reference, path, file and line', async () => {
    expect(await failure({ 'r3.xml': '<a><b ref="nope"/></a>' })).toBe(
      'r3.xml:1, a/b: ref="nope" of <b> leads to no element, neither beside it nor above.',
    )
  })

  test('r4: lists the circle', async () => {
    expect(await failure({ 'r4.xml': '<a><b ref="c"/><c ref="b"/></a>' })).toContain('a/b → a/c → a/b')
  })
})

/** Figure 7, with a job of its own in place of a template. */
const figure7 = `<jobSuite>
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

interface Job {
  readonly job: { readonly workerNum: string; readonly serverNum: string }
}

describe('the figures of the paper', () => {
  const pairs = async (documents?: readonly number[]): Promise<readonly (readonly string[])[]> => {
    const found = await views({ 'fig7.xml': figure7 }, { documents })
    return (found as Job[]).map(({ job }) => [job.workerNum, job.serverNum])
  }

  test('7: a suite unfolds into six jobs', async () => {
    const [first, ...others] = await views({ 'fig7.xml': figure7 })
    expect(others).toHaveLength(5)
    expect(first).toEqual({
      scale: { w: '1', u: '10000' },
      server: '5',
      job: { workerNum: '1', serverNum: '5', userNum: '10000' },
    })
    expect(await pairs([1, 3])).toEqual([
      ['1', '10'],
      ['2', '10'],
    ])
    expect(await pairs([1, 2, 3])).toEqual([
      ['1', '10'],
      ['2', '5'],
      ['2', '10'],
    ])
    const [document] = await unfold(written({ 'fig7.xml': figure7 }), { documents: [0] })
    expect(toJson(document!.at('job')!)).toEqual({ workerNum: '1', serverNum: '5', userNum: '10000' })
    expect([...document!.positions]).toEqual([
      ['scale', 0],
      ['server', 0],
    ])
  })

  test('7 and 8: a suite over a template that is composed of others', async () => {
    written({
      'templates/cluster.xml': '<cluster><workers>2</workers></cluster>',
      'templates/tkvs-hbase.yaml': '{ $tag: database, name: test, store: "hbase://h" }',
      'templates/session-auction.xml':
        '<session><packageName value="auction"/><Transitions><transition name="START"><next name="HOME"/></transition><transition name="HOME"><next name="SELL.AUCTION.ITEM" prob="0.2"/><next name="END" prob="0.1"/></transition></Transitions><numOfThreads type="number">1</numOfThreads></session>',
      'templates/auction-hbase.xml': `<job>
  <workerNum>1</workerNum>
  <serverNum>1</serverNum>
  <userNum>10000</userNum>
  <threadsPerWorker>200</threadsPerWorker>
  <cluster extends="cluster"/>
  <database extends="tkvs-hbase">
    <name>auction</name>
  </database>
  <workload>
    <session extends="session-auction">
      <numOfThreads ref="threadsPerWorker"/>
    </session>
    <measure><duration>60</duration></measure>
  </workload>
</job>`,
    })
    const suite = figure7.replace('<job>', '<job extends="lib:auction:auction-hbase">')
    const found = await views({ 'suite.xml': suite }, { libraries: { auction: `${folder}/templates` } })
    expect(found).toHaveLength(6)
    expect(found[5]).toMatchObject({
      job: {
        workerNum: '4',
        serverNum: '10',
        userNum: '40000',
        cluster: { workers: '2' },
        database: { name: 'auction', store: 'hbase://h' },
        workload: {
          session: {
            packageName: 'auction',
            // Figure 6: `name` is the key, and weights are kept
            Transitions: {
              START: { HOME: null },
              HOME: { 'SELL.AUCTION.ITEM': { prob: '0.2' }, END: { prob: '0.1' } },
            },
            numOfThreads: 200,
          },
        },
      },
    })
  })
})

test('a document in YAML, JSON and XML has one view', async () => {
  const expected = { host: 'db1', url: 'db1:80', port: 80 }
  const xml = `<a><host>db1</host><url exp="concat(':')"><h ref="host"/><p ref="port"/></url><port type="number">80</port></a>`
  const yaml = `host: db1\nurl: { $exp: "concat(':')", h: { $ref: host }, p: { $ref: port } }\nport: 80`
  const json = `{"host":"db1","url":{"$exp":"concat(':')","$children":[{"h":{"$ref":"host"}},{"p":{"$ref":"port"}}]},"port":80}`
  expect(await view(xml)).toEqual(expected)
  expect(await view(yaml)).toEqual(expected)
  expect(await views({ 'a.json': json })).toEqual([expected])
})
