import assert from 'node:assert/strict'
export const expect = (a, m) => ({ toEqual: (b) => assert.deepStrictEqual(a, b, m), toBe: (b) => assert.equal(a, b, m), toBeLessThanOrEqual: (b) => assert.ok(a <= b, m) })
const all = []
let prefix = ''
export const describe = (n, f) => { const p = prefix; prefix += n + ' '; f(); prefix = p }
export const describeWith = (n, f) => { const url = process.env['URL_' + n]; if (url) describe(n, () => f(url)) }
export const test = (n, o, f) => { if (typeof o === 'function') f = o; all.push([prefix + n, f]) }
export const run = async () => { for (const [n, f] of all) { const t = Date.now(); try { await f(); console.log('ok', n, Date.now() - t, 'ms') } catch (e) { console.log('FAIL', n, e.stack?.slice(0, 4000) ?? e, e.cause ?? '') } } process.exit(0) }
