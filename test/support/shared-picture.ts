/**
 * Asks for a picture that other sites show until it is drawn: on a busy machine, that takes longer than a visitor waits. Until then
 * the answer is 503, or leads to the thumbnail.
 */
export async function sharedPicture(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url, { redirect: 'manual' });
    if (response.status !== 503 && response.status !== 302) return response;
    await response.arrayBuffer();
  }
}
