<?php
/** Returns card and block for the place of the offers, or for the end of a page that streams; or an empty string: then the page requests offers itself. */
function offerlet_block(array $order, ?bool $consent, bool $streamed = false): string
{
    $headers = ['Content-Type: application/json'];
    foreach (['User-Agent', 'Accept-Language', 'Sec-GPC', 'Sec-Purpose'] as $name) {
        $value = $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null;
        if ($value !== null) {
            $headers[] = "$name: $value";
        }
    }
    $content = json_encode([
        'placement_details' => ['view' => 'THANK_YOU', 'display_mode' => 'INLINE'],
        'user_details' => ['email_hash' => hash('sha256', strtolower(trim($order['email'])))],
        'order_details' => ['order_id' => (string) $order['id']],
        'consent' => $consent, // leave it out if your page asks nobody
        'locale' => $order['locale'] ?? null, // the lang of your page
        'streamed' => $streamed,
        'ip' => $_SERVER['REMOTE_ADDR'] ?? null,
    ]);
    $http = ['method' => 'POST', 'header' => $headers, 'content' => $content, 'timeout' => 1];
    $url = getenv('OFFERLET_PREFETCH') ?: 'http://127.0.0.1:4603/prefetch';
    $text = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    $offers = json_decode((string) $text, true);
    return ($offers['html'] ?? '') . ($offers['script'] ?? '');
}
