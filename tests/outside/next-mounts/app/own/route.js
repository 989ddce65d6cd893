export function GET() {
  return new Response('a page')
}
