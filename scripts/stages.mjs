/**
 * What `npm test` runs, the fast ones first: `{ name, script, servers, vitest, limitMinutes, onRequest }`.
 * `script` is the npm script; `servers`: it needs the test servers; `vitest`: it writes reports whose tests
 * are counted (anything else counts as one); `onRequest`: only with UNIKV_REQUIRE=all, or when named.
 */
export const stages = [
  { name: 'boundaries', script: 'test:boundaries' },
  { name: 'format', script: 'format:check' },
  { name: 'lint', script: 'lint' },
  { name: 'types', script: 'test:types' },
  { name: 'unused', script: 'test:unused' },
  { name: 'docs', script: 'test:docs' },
  { name: 'examples', script: 'test:examples', servers: true },
  { name: 'packages', script: 'test:packages' },
  { name: 'unit', script: 'test:unit', servers: true, vitest: true, limitMinutes: 27 },
  { name: 'runtimes', script: 'test:runtimes', vitest: true, limitMinutes: 15, onRequest: true },
]

/** The stages that the command line asks for; throws with one sentence when it names another. */
export function chosenStages({ only, skip }, requireAll) {
  const named = [...list(only), ...list(skip)]
  const unknown = named.find((name) => stages.every((stage) => stage.name !== name))
  if (unknown)
    throw new Error(`no stage '${unknown}'; there are ${stages.map(({ name }) => name).join(', ')}`)
  if (only) return stages.filter(({ name }) => list(only).includes(name))
  return stages.filter(({ name, onRequest }) => !list(skip).includes(name) && (requireAll || !onRequest))
}

const list = (names = '') => names.split(',').filter(Boolean)
