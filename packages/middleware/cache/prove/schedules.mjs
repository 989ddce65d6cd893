/**
 * The full run of the schedules of test/schedules.test.ts: `node packages/middleware/cache/prove/schedules.mjs
 * [schedules [first seed]]`. Writes docs/proofs/cache-schedules.md if nothing is wrong.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')
const [schedules = '10000', firstSeed = '1'] = process.argv.slice(2)
const startedAt = performance.now()
const { stdout, stderr, status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'packages/middleware/cache/test/schedules.test.ts'],
  {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    env: { ...process.env, NO_COLOR: '1', UNIKV_SCHEDULES: schedules, UNIKV_SEED: firstSeed },
  },
)
const runs = stdout.split('\n').flatMap((line) => (line.startsWith('{"stack"') ? [JSON.parse(line)] : []))
const wrong = runs.reduce((sum, { violations }) => sum + violations, 0)
if (status !== 0 || runs.length !== 6 || wrong > 0) {
  process.stderr.write(stdout + stderr)
  process.exit(1)
}

const number = (value) => value.toLocaleString('en')
const above = { objects: 'cache of objects', store: 'cache in a store', tiers: 'both' }
const rows = runs.map(
  (run) =>
    `| ${above[run.stack]} | ${run.throughKeyValue ? 'KeyValue' : 'the stack'} | ${[run.schedules, run.operations, run.hits, run.joins, run.loads, run.revalidations, run.violations].map(number).join(' | ')} |`,
)
const minutes = Math.max(1, Math.round((performance.now() - startedAt) / 60_000))
const page = `# The cache over random schedules

What is claimed: a read through [@unikv/cache](../../packages/middleware/cache/README.md) never shows an older state of
its key than the last write that was acknowledged before the read began; no reader is told of a failure that was not
his; everything settles; and when all is at rest the cache agrees with the store.

A schedule is made of a seed: two to eight callers read, set, delete and touch two keys, alone and in batches, whole,
\`head\` and by version, some with \`consistency: 'strong'\`; the store and the cache store take each step (a read sees,
a read answers, a write takes effect, a write is acknowledged) when the schedule lets them; some calls fail, some writes
have an unknown outcome and take effect late or never; time passes, timers fire, callers abort. Freshness, negative
entries, sharing and revalidation differ from schedule to schedule. Straight to the stack there is no order between
calls; through KeyValue there is its program order, and aborts that break it.

\`\`\`sh
node packages/middleware/cache/prove/schedules.mjs ${schedules} ${firstSeed}
\`\`\`

Seeds ${firstSeed} to ${Number(firstSeed) + Number(schedules) - 1}, Node ${process.versions.node}, ${minutes} min:

| over the store | calls to | schedules | operations | hits | joined loads | loads | revalidated | violations |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The same check finds a cache that fills without a look at what was written meanwhile within some tens of schedules, and
each of these changes to the cache: not overtaking loads when a write begins, or when it ends; filling while a write is
under way, after a write of unknown outcome, or by a load that a later one overtook; letting readers join a load that
was overtaken; joining a load whose record has expired; keeping *absent* or a revalidated entry of an overtaken load;
not removing the record from the cache store before a write is acknowledged; not waiting for fills on their way; reading
records whose removal failed. A cut of it runs with the tests.
`
writeFileSync(join(root, 'docs/proofs/cache-schedules.md'), page)
process.stdout.write(`${rows.join('\n')}\n`)
