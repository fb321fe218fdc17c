<?php // What --context asks: docs/reference/relay.md#the-orders-data
$secret = getenv('OFFERLET_CONTEXT_SECRET');
if (!$secret || !hash_equals("Bearer $secret", $_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
    http_response_code(401);
    exit;
}
session_start();
if (!isset($_SESSION['order'])) {
    http_response_code(204); // no order in this session
    exit;
}
header('Content-Type: application/json');
echo json_encode([
    'user_details' => ['email' => $_SESSION['order']['email']],
    'order_details' => ['order_id' => (string) $_SESSION['order']['id']],
]);
