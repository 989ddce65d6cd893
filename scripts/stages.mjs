/**
 * Stages of `npm test` after its build: `{ name, script, command, servers, alone, vitest, limitMinutes, onRequest, quick }`.
 * `script` is the npm script, `command` runs in its place; `servers`: it needs the test servers, and waits until they are
 * there; `alone`: it begins when all others have ended, as it uses all cores and clears servers; `vitest`: it writes reports whose tests are counted (anything else counts as
 * one); `onRequest`: only with UNIKV_REQUIRE=all, or when named; `quick`: also with --quick. Limits are far above what
 * an idle machine needs, so that a slow or busy one only takes longer. They begin in this order, two at a time: long ones
 * first, but short ones until the servers are there.
 */
export const stages = [
  { name: 'runtimes', script: 'test:runtimes', vitest: true, limitMinutes: 30, onRequest: true },
  { name: 'boundaries', script: 'test:boundaries', quick: true },
  { name: 'format', script: 'format:check', quick: true },
  {
    name: 'outside',
    command: ['node', 'scripts/outside.mjs'],
    servers: true,
    vitest: true,
    limitMinutes: 15,
  },
  { name: 'lint', script: 'lint', quick: true },
  { name: 'types', script: 'test:types', quick: true },
  { name: 'doc-blocks', command: ['node', 'scripts/doc-blocks.mjs'] },
  { name: 'docs', script: 'test:docs' },
  { name: 'packages', command: ['node', 'scripts/packages.mjs'] },
  { name: 'unused', script: 'test:unused', quick: true },
  { name: 'examples', command: ['node', 'scripts/examples.mjs'], servers: true },
  {
    name: 'unit',
    script: 'test:unit',
    servers: true,
    alone: true,
    vitest: true,
    quick: true,
    limitMinutes: 75,
  },
]

/** The stages that the command line asks for; throws with one sentence when it names another. */
export function chosenStages({ only, skip, quick }, requireAll) {
  const named = [...list(only), ...list(skip)]
  const unknown = named.find((name) => stages.every((stage) => stage.name !== name))
  if (unknown)
    throw new Error(`no stage '${unknown}'; there are ${stages.map(({ name }) => name).join(', ')}`)
  if (quick) return stages.filter((stage) => stage.quick).map((stage) => ({ ...stage, servers: false }))
  if (only) return stages.filter(({ name }) => list(only).includes(name))
  return stages.filter(({ name, onRequest }) => !list(skip).includes(name) && (requireAll || !onRequest))
}

const list = (names = '') => names.split(',').filter(Boolean)
